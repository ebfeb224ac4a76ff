//! Members that only one API has, written beside those of the middle form.

use serde::{Serialize, Serializer};

use super::Json;

/// Names and values, in the order in which they came; to be flattened into a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extra<'a>(pub(crate) Vec<(&'a str, &'a Json)>);

impl Serialize for Extra<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}
