//! The course of the table: which request comes when, helpers first, and the end of the process last.

use crate::{
    kinds::{Ask, Before, Caller as Does, Kind, When},
    play::{Played, Under},
    stage::Stage,
};

/// Hands out request numbers.
#[derive(Default)]
pub struct Numbers(usize);

impl Numbers {
    fn next(&mut self) -> usize {
        self.0 += 1;
        self.0
    }
}

impl Stage {
    /// What must be there before the kind itself comes.
    pub async fn before(&self, kind: &Kind, numbers: &mut Numbers) -> Vec<Under<'_>> {
        let mut under = Vec::new();
        let (count, name) = match kind.before {
            Before::Nothing => return under,
            Before::Holders(n) => (n, "holder"),
            Before::Answered => (1, "first"),
        };
        for n in 0..count {
            let caller = match (kind.before, n) {
                (Before::Answered, _) => Does::Reads,
                (_, 0) => Does::Leaves(When::Asked),
                _ => Does::Leaves(When::Queued),
            };
            let helper = Kind {
                caller,
                ask: Ask::Unary,
                headers: &[],
                ..*kind
            };
            let id = format!("{}-{name}{n}", kind.name);
            let mut one = self.open(&helper, id, numbers.next()).await;
            one.played.kind = None;
            under.push(one);
        }
        under
    }

    /// Plays a kind and all its helpers to the end.
    pub async fn play(&self, kind: &Kind, numbers: &mut Numbers) -> Vec<Played> {
        let mut played = Vec::new();
        let mut helpers = self.before(kind, numbers).await;
        if kind.before == Before::Answered {
            for helper in std::mem::take(&mut helpers) {
                played.push(helper.close().await);
            }
        }
        let one = self.open(kind, kind.name.to_owned(), numbers.next()).await;
        for one in std::iter::once(one).chain(helpers) {
            played.push(one.close().await);
        }
        played
    }

    /// Ends the process while the kinds run, and reads what becomes of them.
    pub async fn drain(&self, kinds: &[Kind], numbers: &mut Numbers) -> Vec<Played> {
        let mut under = Vec::new();
        for kind in kinds.iter().filter(|k| k.caller != Does::Late) {
            under.extend(self.before(kind, numbers).await);
            under.push(self.open(kind, kind.name.to_owned(), numbers.next()).await);
        }
        self.gateway.signal("TERM");
        self.status("the drain", |s| s["stage"] == "draining").await;
        for kind in kinds.iter().filter(|k| k.caller == Does::Late) {
            under.push(self.open(kind, kind.name.to_owned(), numbers.next()).await);
        }
        let mut played = Vec::new();
        for mut one in under {
            one.kind.caller = Does::Reads;
            played.push(one.close().await);
        }
        played
    }
}
