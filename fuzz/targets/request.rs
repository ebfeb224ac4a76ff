#![no_main]
punctual_fuzz::target!(request);
