//! A command line in a file of settings, parted into words.
//!
//! What must hold: it is what the user meant, and never more. A shell would expand variables, join programs and
//! open files; here all of that is text.

/// Parts a command line at its blanks; quotes keep them. `posix` also knows single quotes, and a backslash
/// before any character; else a backslash is one, as paths of Windows have them. `None` where a quote stays
/// open.
pub(super) fn words(line: &str, posix: bool) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let known = c == '"' || (posix && c == '\'');
        match quote {
            None if c.is_whitespace() => words.extend(word.take()),
            None if known => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if posix && c == '\\' => word.get_or_insert_default().push(rest.next()?),
            Some(open) if c == open => quote = None,
            Some('"') if c == '\\' => {
                let escaped = rest.next_if(|next| *next == '"' || (posix && *next == '\\'));
                word.get_or_insert_default().push(escaped.unwrap_or('\\'));
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_line_is_parted_as_by_the_sdks_and_never_by_a_shell() {
        for (line, posix, expected) in [
            ("/bin/x", true, Some(&["/bin/x"][..])),
            ("  /a  b\tc ", true, Some(&["/a", "b", "c"])),
            (
                r#""/a b/c" --name 'x "y"' "p 'q'""#,
                true,
                Some(&["/a b/c", "--name", "x \"y\"", "p 'q'"]),
            ),
            (r#"a"b c"d "" e"#, true, Some(&["ab cd", "", "e"])),
            (
                r#"a\ b "c\"d\\e\f" '\'"#,
                true,
                Some(&["a b", "c\"d\\e\\f", "\\"]),
            ),
            (
                "$HOME/x; rm | y > z `w`",
                true,
                Some(&["$HOME/x;", "rm", "|", "y", ">", "z", "`w`"]),
            ),
            (
                r#""C:\a b\c.cmd" \x 'y "\"""#,
                false,
                Some(&[r"C:\a b\c.cmd", r"\x", "'y", "\""]),
            ),
            ("", true, Some(&[])),
            ("a 'b", true, None),
            ("a \"b", false, None),
            ("a\\", true, None),
        ] {
            let found = words(line, posix);
            let found = found
                .as_ref()
                .map(|words| words.iter().map(String::as_str).collect());
            assert_eq!(found, expected.map(<[&str]>::to_vec), "{line}");
        }
    }
}
