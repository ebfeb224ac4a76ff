//! Lists of clients: of one type, or of several.

use crate::{client::Client, node::Node};

/// Several clients: an array or a `Vec` of one type, or a tuple of up to eight.
pub trait Clients {
    /// Each of them.
    fn nodes(self) -> Vec<Node>;
}

impl<C: Client, const N: usize> Clients for [C; N] {
    fn nodes(self) -> Vec<Node> {
        self.iter().map(Client::node).collect()
    }
}

impl<C: Client> Clients for Vec<C> {
    fn nodes(self) -> Vec<Node> {
        self.iter().map(Client::node).collect()
    }
}

macro_rules! tuple {
    ($($name:ident)+) => {
        impl<$($name: Client),+> Clients for ($($name,)+) {
            #[expect(non_snake_case, reason = "a value is named after its type")]
            fn nodes(self) -> Vec<Node> {
                let ($($name,)+) = self;
                vec![$($name.node()),+]
            }
        }
    };
}
tuple!(A);
tuple!(A B);
tuple!(A B C);
tuple!(A B C D);
tuple!(A B C D E);
tuple!(A B C D E F);
tuple!(A B C D E F G);
tuple!(A B C D E F G H);
