//! Chat completions to and from the middle form.
