//! What stands between a browser and an answer: Envoy, the BFF, a call over gRPC.

use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use proto::billing::v1::{ListPlansRequest, plans_client::PlansClient};
use reqwest::{Client, header};
use tonic::transport::{Channel, Endpoint};
use xtask::{process::Process, progress};

use super::{
    House,
    load::{Taken, Turns, Work, closed, in_turns, open, stretch},
    meter::{Meter, sum},
    report::{Report, Row},
};
use crate::floor::BareEnvoy;

/// A route that asks no service …
const NO_HOP: &str = "/api/meta";
/// … and one that asks one, which answers from memory.
const HOP: &str = "/api/plans";
/// Requests per second of the relay's goal.
const RATE: f64 = 1_000.0;
/// The same with Envoy and TLS before it, on two cores for all.
const EDGE_RATE: f64 = 300.0;
/// Length of a stretch of what is compared by its p99: short, and many of them, since what a neighbour does for a moment
/// spoils one.
const STRETCH: Duration = Duration::from_secs(1);

/// Fetches an address again and again.
fn fetch(http: &Client, address: String) -> impl Work + Clone {
    let http = http.clone();
    move |_| {
        // Compression is a cost of its own, and another one at each place.
        let asked = http.get(&address).header(header::ACCEPT_ENCODING, "identity").send();
        async move { Ok(asked.await?.error_for_status()?.bytes().await.map(drop)?) }
    }
}

async fn plans(house: &House) -> Result<PlansClient<Channel>> {
    let port = house.stand.instance.known_port("billing-grpc").unwrap_or_default();
    let channel =
        Endpoint::from_shared(format!("http://127.0.0.1:{port}"))?.tcp_nodelay(true).connect().await?;
    Ok(PlansClient::new(channel))
}

/// Goal 2.
///
/// # Errors
/// When something fails that should not.
pub async fn relay(house: &House, report: &mut Report) -> Result<()> {
    let client = plans(house).await?;
    let direct = move |_| {
        let mut client = client.clone();
        async move { Ok(client.list_plans(ListPlansRequest {}).await.map(drop)?) }
    };
    let through = fetch(&house.http, format!("{}{HOP}", house.direct));
    let floor = fetch(&house.http, format!("{}/hop", house.floor()?.address));
    closed(4, house.warm(), through.clone()).await.sound("plans, warming up")?;
    let meter = Meter::begin(house.services())?;
    let ours = open(RATE, house.stretch(), through.clone()).await.sound("plans through the BFF")?;
    let parts = meter.per(ours.count())?;
    let [direct, floor, ours] = in_turns(
        house.turns(),
        [
            &mut stretch(RATE, STRETCH, direct, "plans from billing itself"),
            &mut stretch(RATE, STRETCH, floor, "a call through the floor"),
            &mut stretch(RATE, STRETCH, through, "plans through the BFF"),
        ],
    )
    .await?;
    report.rows.push(Row::new(2, "CPU per request at 1,000/s", "µs", sum(&parts)).cpu(&parts));
    for percent in [50.0, 99.0] {
        let added = ours.added_to(&direct, percent);
        let what = format!("added by the BFF over the service itself at 1,000/s, p{percent:.0}");
        let floors = floor.added_to(&direct, percent).max(0.0);
        let row =
            Row::new(2, what, "ms", added).beside("ms floor", floors).note(together(&ours, &direct, percent));
        report.rows.push(if percent > 90.0 { row.at_most(1.0) } else { row });
    }
    Ok(())
}

/// What there is to be said beside the median of how much more one takes than another.
fn together(one: &Turns, other: &Turns, percent: f64) -> String {
    format!(
        "{:.3} ms without; of all stretches together {:.3} and {:.3} ms",
        other.percentile(percent),
        one.altogether(percent),
        other.altogether(percent)
    )
}

/// Goal 9.
///
/// # Errors
/// When something fails that should not.
pub async fn edge(house: &House, report: &mut Report) -> Result<()> {
    let one = |taken: Taken| taken.percentile(50.0);
    let floor = &house.floor()?.address;
    let at = |address: String| fetch(&house.http, address);
    let steady = |address: String| {
        let work = at(address);
        async move {
            closed(1, house.warm(), work.clone()).await.sound("warming up")?;
            closed(1, house.lasts() / 2, work).await.sound("one after the other")
        }
    };
    let plain = one(steady(format!("{}{NO_HOP}", house.direct)).await?);
    let hop = one(steady(format!("{}{HOP}", house.direct)).await?);
    let floor_plain = one(steady(format!("{floor}/plain")).await?);
    let floor_hop = one(steady(format!("{floor}/hop")).await?);
    report.rows.push(
        Row::new(9, "a call over gRPC adds, p50", "ms", hop - plain)
            .beside("ms floor", floor_hop - floor_plain)
            .at_most(0.2)
            .note(format!("{HOP} {hop:.3} ms, {NO_HOP} {plain:.3} ms, one client")),
    );

    let bff = house.stand.instance.known_port("bff-http").context("no edge before the BFF")?;
    let mut step = progress::step("a bare Envoy");
    let bare = BareEnvoy::start(&house.stand.instance, bff, &mut step).map_err(|e| anyhow!(e))?;
    step.done("");
    let through = at(format!("{}{HOP}", house.stand.address));
    let barely = at(format!("{}{HOP}", bare.tls));
    let clearly = at(format!("{}{HOP}", bare.clear));
    let direct = at(format!("{}{HOP}", house.direct));
    // No faster than it is measured: the edge lets one address do a thousand requests at once and 200 a second.
    for work in [through.clone(), barely.clone(), clearly.clone()] {
        open(EDGE_RATE, house.warm(), work).await.sound("plans through Envoy, warming up")?;
    }
    let cost = async |envoy: &Process, work| {
        let meter = Meter::begin([envoy])?;
        let taken = open(EDGE_RATE, house.stretch(), work).await.sound("plans through Envoy")?;
        Ok::<_, anyhow::Error>(sum(&meter.per(taken.count())?))
    };
    let cpu = cost(house.stand.process("envoy")?, through.clone()).await?;
    let bare_cpu = cost(&bare.process, barely.clone()).await?;
    let [nobody, direct, clearly, barely, through] = in_turns(
        house.turns(),
        [
            &mut stretch(EDGE_RATE, STRETCH, async |_| Ok(()), "nothing from nobody"),
            &mut stretch(EDGE_RATE, STRETCH, direct, "plans from the BFF"),
            &mut stretch(EDGE_RATE, STRETCH, clearly, "plans through a bare Envoy without TLS"),
            &mut stretch(EDGE_RATE, STRETCH, barely, "plans through a bare Envoy"),
            &mut stretch(EDGE_RATE, STRETCH, through, "plans through Envoy"),
        ],
    )
    .await?;
    bare.process.stop();
    report.rows.push(
        Row::new(9, "CPU of Envoy per request, TLS included", "µs", cpu)
            .beside("µs a bare Envoy", bare_cpu)
            .note("bare: TLS and the router alone, without limits, log and caches"),
    );
    for percent in [50.0, 99.0] {
        let what = format!("Envoy adds at {EDGE_RATE:.0}/s, p{percent:.0}");
        let row = Row::new(9, what, "ms", through.added_to(&direct, percent))
            .beside("ms a bare Envoy", barely.added_to(&direct, percent))
            .note(format!(
                "{}; {:.3} ms where nobody is asked; a bare one over HTTP/1.1, without TLS, adds {:.3} ms",
                together(&through, &direct, percent),
                nobody.percentile(percent),
                clearly.added_to(&direct, percent),
            ));
        report.rows.push(if percent > 90.0 { row.at_most(0.5) } else { row });
    }
    Ok(())
}
