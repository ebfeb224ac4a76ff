#![no_main]
punctual_fuzz::target!(answer);
