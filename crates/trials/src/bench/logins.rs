//! Logins beside bare Argon2id, and what a flood of them leaves for everybody else.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use futures::{
    future::FutureExt as _,
    stream::{StreamExt as _, TryStreamExt as _, iter},
};
use reqwest::header;
use serde_json::json;

use super::{
    House,
    load::{closed, in_turns, median, open, stretch},
    meter::{Meter, mebibytes, peak_mebibytes},
    report::{Report, Row},
};
use crate::{
    floor,
    guest::{Guest, PASSWORD},
    stand,
};

/// Accounts that are logged into: each a few times, as by people with a few devices. With few accounts each would soon have
/// fifty, and a login answers with the list of them.
const ACCOUNTS: usize = 256;
/// Accounts that are made at once.
const SIGN_UPS: usize = 16;
/// Clients per core that log in one time after another: while some wait for what is written and read around the hash,
/// others keep the cores busy.
const PER_CORE: usize = 8;
/// Who tries at once, in the flood: many more than there are cores.
const FLOOD: usize = 32;
/// Stretches of each of what is compared, in a whole run and in a quick one.
const TURNS: (usize, usize) = (3, 1);
/// Requests per second of the others meanwhile.
const OTHERS: f64 = 50.0;

/// Goal 10.
///
/// # Errors
/// When something fails that should not.
pub async fn measure(house: &House, report: &mut Report) -> Result<()> {
    // Before anybody hashes, for what a password took stays for some seconds.
    let auth = house.stand.process("auth")?;
    let before = mebibytes(auth)?;
    let guests = (0..ACCOUNTS).map(|_| Guest::new(&house.http, &house.direct));
    let guests: Vec<Guest> = iter(guests).buffer_unordered(SIGN_UPS).try_collect().await?;
    let emails: Vec<String> = guests.iter().map(Guest::email).collect();
    let (http, address) = (house.http.clone(), format!("{}/api/login", house.direct));
    let log_in = move |number: u64| {
        let form = json!({ "email": emails[number as usize % ACCOUNTS], "password": PASSWORD });
        let asked = http.post(&address).json(&form).send();
        async move {
            let answer = asked.await?;
            let status = answer.status();
            // What is not read to its end costs a new connection.
            answer.bytes().await?;
            ensure!(status.is_success(), "a login was answered {status}");
            Ok(())
        }
    };
    let character = house.characters.first().context("no character")?;
    let (http, page) = (house.http.clone(), format!("{}/api/character/{character}", house.direct));
    let look = move |_| {
        let asked = http.get(&page).header(header::ACCEPT_ENCODING, "identity").send();
        async move { Ok(asked.await?.error_for_status()?.bytes().await.map(drop)?) }
    };

    closed(2, house.warm(), log_in.clone()).await.sound("logins, warming up")?;
    closed(2, house.warm(), look.clone()).await.sound("a page, warming up")?;
    let cores = std::thread::available_parallelism()?.get();
    let lasts = house.lasts();
    stand::forget_peak(auth)?;
    let meter = Meter::begin(house.services())?;
    let (mut bare, mut logins, mut count) = (Vec::new(), Vec::new(), 0);
    let turns = if house.quick { TURNS.1 } else { TURNS.0 };
    for _ in 0..turns {
        bare.push(tokio::task::spawn_blocking(move || floor::hashes_per_second(cores, lasts)).await?);
        let stretch = closed(PER_CORE * cores, lasts, log_in.clone()).await.sound("logins")?;
        logins.push(stretch.rate());
        count += stretch.count();
    }
    let (parts, [bare, logins]) = (meter.per(count)?, [bare, logins].map(median));
    report.rows.push(
        Row::new(10, format!("logins per second on {cores} cores"), "/s", logins)
            .beside("/s bare Argon2id", bare)
            .at_least(0.9)
            .of_ratio()
            .cpu(&parts)
            .note(format!("a bare hash takes {:.0}", 1e6 * cores as f64 / bare)),
    );

    let mut quiet = stretch(OTHERS, lasts, look.clone(), "pages");
    let mut flooded = move || {
        let (look, log_in) = (look.clone(), log_in.clone());
        async move {
            let flood = tokio::spawn(closed(FLOOD, lasts + Duration::from_secs(1), log_in));
            let pages = open(OTHERS, lasts, look).await.sound("pages during a flood of logins")?;
            flood.await?.sound("the flood of logins")?;
            Ok(pages)
        }
        .boxed()
    };
    // What a machine does whose cores are full: an answer of the floor beside nothing but hashes.
    let (http, floor) = (house.http.clone(), format!("{}/hop", house.floor()?.address));
    let bare = move |_| {
        let asked = http.get(&floor).send();
        async move { Ok(asked.await?.error_for_status()?.bytes().await.map(drop)?) }
    };
    let mut floor_quiet = stretch(OTHERS, lasts, bare.clone(), "answers of the floor");
    let mut floor_full = move || {
        let bare = bare.clone();
        async move {
            let longer = lasts + Duration::from_secs(1);
            let full = tokio::task::spawn_blocking(move || floor::hashes_aside(cores, longer));
            let answers = open(OTHERS, lasts, bare).await.sound("answers of the floor beside hashes")?;
            full.await?;
            Ok(answers)
        }
        .boxed()
    };
    let [quiet, flooded, floor_quiet, floor_full] =
        in_turns(turns, [&mut quiet, &mut flooded, &mut floor_quiet, &mut floor_full]).await?;
    let most = peak_mebibytes(auth)?;
    report.rows.push(
        Row::new(10, "a character's page during a flood of logins, p99", "ms", flooded.percentile(99.0))
            .beside("ms without", quiet.percentile(99.0))
            .at_most(2.0)
            .of_ratio()
            .note(format!(
                "p50 {:.1} ms beside {:.1} ms; {FLOOD} clients log in at once",
                flooded.percentile(50.0),
                quiet.percentile(50.0)
            )),
    );
    report.rows.push(
        Row::new(
            10,
            "the floor's answer beside bare hashes on all cores, p99",
            "ms",
            floor_full.percentile(99.0),
        )
        .beside("ms without", floor_quiet.percentile(99.0))
        .note(format!(
            "p50 {:.1} ms beside {:.1} ms: what full cores cost whoever is woken on this machine",
            floor_full.percentile(50.0),
            floor_quiet.percentile(50.0)
        )),
    );
    report.rows.push(
        Row::new(10, "memory of auth during the flood, at most more than before", "MiB", most - before)
            .at_most(100.0)
            .note(format!("{most:.0} MiB instead of {before:.0}")),
    );
    Ok(())
}
