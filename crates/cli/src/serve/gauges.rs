//! What metrics read from elsewhere each time somebody looks: lanes, breakers, pools, memory.

use crate::build::Lasting;
use punctual_server::Gateway;
use punctual_telemetry::{Breaker, Gauges, Telemetry};
use punctual_upstream::Upstreams;
use std::sync::Arc;

/// Registers them. Telemetry must not keep the gateway alive, so it is held weakly.
pub(super) fn register(
    telemetry: &Telemetry,
    gateway: &Arc<Gateway<Upstreams>>,
    lasting: &Arc<Lasting>,
) {
    let (gateway, lasting) = (Arc::downgrade(gateway), Arc::downgrade(lasting));
    telemetry.register_gauges(Box::new(move |gauges| {
        if let (Some(gateway), Some(lasting)) = (gateway.upgrade(), lasting.upgrade()) {
            read(gauges, &gateway, &lasting);
        }
    }));
}

fn read(gauges: &mut Gauges, gateway: &Gateway<Upstreams>, lasting: &Lasting) {
    let now = gateway.current();
    for target in &now.engine.targets {
        gauges.lane(&target.name, target.lane.depth(), target.lane.in_use());
        gauges.breaker(&target.name, Breaker::from_name(target.health.state()));
        let cooling = target
            .health
            .resting()
            .filter(|r| r.rest == punctual_core::Rest::Cooling);
        gauges.cooldown(&target.name, cooling.map(|r| r.left).unwrap_or_default());
    }
    for pool in lasting.pools.stats() {
        gauges.pool(&pool.name, pool.idle, pool.open);
    }
    gauges.memory(gateway.stats().memory_bytes, now.settings.max_memory_bytes);
}
