use super::*;
use flate2::{
    Compression,
    write::{DeflateEncoder, GzEncoder, ZlibEncoder},
};

fn decoder(encoding: &'static str) -> Inflate {
    let mut headers = HeaderMap::new();
    headers.insert("content-encoding", encoding.parse().unwrap());
    Inflate::of(&headers).unwrap().unwrap()
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut e = GzEncoder::new(Vec::new(), Compression::default());
    e.write_all(data).unwrap();
    e.finish().unwrap()
}

/// All of `input`, piece by piece.
fn push(inflate: &mut Inflate, input: &[u8]) -> Result<Vec<u8>, Undecodable> {
    let (mut input, mut out) = (Bytes::copy_from_slice(input), Vec::new());
    while !input.is_empty() {
        out.extend(inflate.push(&mut input)?);
    }
    Ok(out)
}

#[test]
fn each_flushed_event_comes_out_with_the_chunk_that_ends_it() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let mut inflate = decoder("gzip");
    for n in 0..5 {
        let event = format!("data: {n}\n\n");
        encoder.write_all(event.as_bytes()).unwrap();
        encoder.flush().unwrap();
        let sent = std::mem::take(encoder.get_mut());
        let out: Vec<u8> = sent
            .chunks(3)
            .flat_map(|chunk| push(&mut inflate, chunk).unwrap())
            .collect();
        assert_eq!(out, event.as_bytes());
    }
    let trailer = encoder.finish().unwrap();
    assert!(push(&mut inflate, &trailer).unwrap().is_empty());
    assert!(inflate.finish().unwrap().is_empty());
}

#[test]
fn both_formats_called_deflate_are_understood() {
    let text = b"hello hello hello hello".repeat(10);
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    zlib.write_all(&text).unwrap();
    let mut raw = DeflateEncoder::new(Vec::new(), Compression::best());
    raw.write_all(&text).unwrap();
    for encoded in [zlib.finish().unwrap(), raw.finish().unwrap()] {
        let mut inflate = decoder("deflate");
        let mut out = push(&mut inflate, &encoded).unwrap();
        out.extend(inflate.finish().unwrap());
        assert_eq!(out, text);
    }
}

#[test]
fn a_bomb_is_stopped_before_it_grows() {
    let bomb = gzip(&vec![0; 64 << 20]);
    assert!(bomb.len() < 100_000);
    let mut inflate = decoder("gzip");
    assert_eq!(push(&mut inflate, &bomb), Err(Undecodable::Bomb));
    assert!(inflate.taken <= 3 * STEP as u64);
}

#[test]
fn text_that_compresses_well_is_no_bomb() {
    let event = |n| format!("data: {{\"id\":\"c{n}\",\"delta\":{{\"content\":\"na \"}}}}\n\n");
    let text: String = (0..60_000).map(event).collect();
    let packed = gzip(text.as_bytes());
    let mut inflate = decoder("x-gzip");
    let out = push(&mut inflate, &packed).unwrap();
    assert_eq!(out.len() + inflate.finish().unwrap().len(), text.len());
}

#[test]
fn what_one_read_holds_is_given_out_in_pieces() {
    let text: String = (0..60_000)
        .map(|n| format!("data: {{\"n\":{n}}}\n\n"))
        .collect();
    let packed = gzip(text.as_bytes());
    let mut inflate = decoder("gzip");
    let mut rest = Bytes::from(packed);
    let mut whole = 0;
    while !rest.is_empty() {
        let piece = inflate.push(&mut rest).unwrap();
        assert!(piece.len() <= ENOUGH + 64 * STEP, "{}", piece.len());
        whole += piece.len();
    }
    assert_eq!(whole + inflate.finish().unwrap().len(), text.len());
}

#[test]
fn a_cut_body_and_a_false_label_are_corrupt() {
    let whole = gzip(b"hello");
    let mut cut = decoder("gzip");
    push(&mut cut, &whole[..whole.len() - 9]).unwrap();
    assert_eq!(cut.finish(), Err(Undecodable::Corrupt));
    let mut plain = decoder("gzip");
    assert_eq!(push(&mut plain, b"data: {}\n\n"), Err(Undecodable::Corrupt));
    assert_eq!(decoder("gzip").finish(), Ok(Bytes::new()));
}

#[test]
fn only_what_was_not_asked_for_and_is_not_known_is_refused() {
    let of = |value: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert("content-encoding", value.parse().unwrap());
        Inflate::of(&headers).map(|found| found.is_some())
    };
    assert_eq!(of("identity"), Ok(false));
    assert_eq!(of(""), Ok(false));
    assert_eq!(of(" GZIP "), Ok(true));
    assert_eq!(of("identity, deflate"), Ok(true));
    assert_eq!(of("br"), Err(Undecodable::Encoding));
    assert_eq!(of("zstd"), Err(Undecodable::Encoding));
    assert_eq!(of("gzip, gzip"), Err(Undecodable::Encoding));
    assert_eq!(
        Inflate::of(&HeaderMap::new()).map(|f| f.is_some()),
        Ok(false)
    );
}
