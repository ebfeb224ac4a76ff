use bytes::Bytes;
use proptest::prelude::*;

use crate::frame::{Frame, Framing, Splitter, TooLarge, tests};

fn splitter(limit: usize) -> Splitter {
    Splitter::new(Framing::Array, limit)
}

fn elements(pieces: &[&[u8]]) -> Vec<(String, bool)> {
    let elements = tests::split(Framing::Array, pieces.iter().copied());
    let said = |element: &Frame| {
        let data = element.data().unwrap_or_default();
        (
            String::from_utf8_lossy(&data).into_owned(),
            element.is_complete(),
        )
    };
    assert_eq!(tests::raw(&elements), pieces.concat(), "no byte is lost");
    elements.iter().map(said).collect()
}

fn whole(text: &str) -> (String, bool) {
    (text.to_owned(), true)
}

#[test]
fn an_element_is_given_with_its_last_byte() {
    let mut splitter = splitter(1 << 10);
    splitter.push(Bytes::from_static(b"[{\"a\":[1,\"]}\"]}"));
    let element = splitter.next().unwrap().unwrap();
    assert_eq!(element.data().as_deref(), Some(&b"{\"a\":[1,\"]}\"]}"[..]));
    assert_eq!(splitter.held(), 0);
    splitter.push(Bytes::from_static(b",\r\n{"));
    assert_eq!(splitter.next(), None);
    splitter.push(Bytes::from_static(b"}\r\n]"));
    let element = splitter.next().unwrap().unwrap();
    assert_eq!(element.raw().as_ref(), b",\r\n{}");
    assert_eq!(element.data().as_deref(), Some(&b"{}"[..]));
    let rest = splitter.finish().unwrap();
    assert_eq!(
        (rest.data(), rest.is_complete(), rest.raw().as_ref()),
        (None, true, &b"\r\n]"[..])
    );
}

#[test]
fn values_of_every_kind_are_elements() {
    let found = elements(&[br#"[ 1,"a\"],",null ,[2,[3]],{} ]"#]);
    let expected = ["1", r#""a\"],""#, "null", "[2,[3]]", "{}", ""];
    assert_eq!(found, expected.map(whole));
}

#[test]
fn a_value_in_no_array_is_one_element() {
    let error = "{\n \"error\": {}\n}";
    assert_eq!(elements(&[error.as_bytes()]), [whole(error)]);
    assert_eq!(elements(&[b"\xef\xbb\xbf[{}]"])[0], whole("{}"));
}

#[test]
fn what_breaks_off_is_not_complete() {
    assert_eq!(elements(&[b"[{},{\"a"])[1], ("{\"a".to_owned(), false));
    assert_eq!(elements(&[b"[{},"])[1], (String::new(), false));
    assert_eq!(elements(&[b"[{}"]), [whole("{}")]);
    assert_eq!(elements(&[b""]), []);
}

#[test]
fn an_element_beyond_the_limit_is_refused_once() {
    let mut splitter = splitter(6);
    splitter.push(Bytes::from_static(b"[{},{\"a\":1},{}]"));
    assert!(splitter.next().unwrap().is_ok());
    assert_eq!(splitter.next(), Some(Err(TooLarge { limit: 6 })));
    assert_eq!(splitter.next(), None);
    assert_eq!(splitter.finish(), None);
}

#[test]
fn what_is_held_never_passes_the_limit() {
    let mut splitter = splitter(100);
    for _ in 0..50 {
        splitter.push(Bytes::from_static(b"[ [ [ [ ["));
        if let Some(Err(_)) = splitter.next() {
            return;
        }
        assert!(splitter.held() <= 100);
    }
    panic!("never refused");
}

proptest! {
    #[test]
    fn the_same_elements_come_out_however_the_bytes_are_cut(cuts in prop::collection::vec(0_usize..70, 0..10)) {
        let text = "[{\"a\":\"ä\\\"}\\\\\"},\r\n{\"b\":[1,{}]} , 12,\"x\",true\n,{\"c\":1}\r\n]\n".as_bytes();
        prop_assert_eq!(elements(&tests::pieces(text, &cuts)), elements(&[text]));
    }

    #[test]
    fn no_bytes_panic_it_and_none_is_lost(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..12), 0..8)) {
        let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        elements(&chunks);
    }

    #[test]
    fn no_brackets_panic_it_and_none_is_lost(text in "[\\[\\]{}\",:\\\\a1 ]{0,40}", cut in 0_usize..40) {
        let (head, tail) = text.split_at(cut.min(text.len()));
        prop_assert_eq!(
            elements(&[head.as_bytes(), tail.as_bytes()]),
            elements(&[text.as_bytes()])
        );
    }
}
