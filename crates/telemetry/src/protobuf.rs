//! Writes protobuf wire format straight into a buffer.
//!
//! Spans are encoded on the request's own path, four and more per request. Building message structs for
//! them costs an allocation for each of some sixty keys and values; appending bytes costs none. The format
//! is that of <https://protobuf.dev/programming-guides/encoding/>: a tag (`number << 3 | wire type`), then a
//! varint, or a length and so many bytes. Values of fixed size are written where they stand, with their tag.
//! Tests read it back with prost.

/// Wire type of varints.
const VARINT: u64 = 0;
/// Wire type of strings, bytes and messages.
const LENGTH: u64 = 2;

/// Appends a varint.
pub(crate) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Bytes that [`varint`] takes.
pub(crate) const fn varint_len(value: u64) -> u64 {
    let bits = 64 - (value | 1).leading_zeros() as u64;
    bits.div_ceil(7)
}

/// Bytes that a length-delimited field numbered below 16 takes.
pub(crate) const fn field_len(length: u64) -> u64 {
    1 + varint_len(length) + length
}

fn tag(out: &mut Vec<u8>, number: u64, wire: u64) {
    varint(out, number << 3 | wire);
}

/// Starts a message of `length` bytes, which the caller then appends.
pub(crate) fn message(out: &mut Vec<u8>, number: u64, length: u64) {
    tag(out, number, LENGTH);
    varint(out, length);
}

/// A string or bytes field.
pub(crate) fn bytes(out: &mut Vec<u8>, number: u64, value: &[u8]) {
    message(out, number, value.len() as u64);
    out.extend_from_slice(value);
}

/// An integer, enum or bool field; negative numbers take ten bytes.
pub(crate) fn integer(out: &mut Vec<u8>, number: u64, value: u64) {
    tag(out, number, VARINT);
    varint(out, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use opentelemetry_proto::tonic::trace::v1::Status;
    use prost::Message;

    #[test]
    fn the_length_of_a_varint_is_known_beforehand() {
        for shift in 0..64 {
            for value in [1_u64 << shift, (1 << shift) - 1, (1 << shift) + 1] {
                let mut out = Vec::new();
                varint(&mut out, value);
                assert_eq!(out.len() as u64, varint_len(value), "{value}");
                assert_eq!(
                    prost::decode_length_delimiter(&*out).ok(),
                    usize::try_from(value).ok()
                );
            }
        }
    }

    #[test]
    fn prost_reads_what_is_written() {
        let mut out = Vec::new();
        bytes(&mut out, 2, "é".as_bytes());
        integer(&mut out, 3, 2);
        let status = Status::decode(&*out).unwrap();
        assert_eq!((status.message.as_str(), status.code), ("é", 2));
    }
}
