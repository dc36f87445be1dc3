use crate::support::house;

#[tokio::test]
async fn whoever_reads_a_stream_is_told_to_come_back_before_the_process_ends() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let mut stream = house.get("/api/events").bearer_auth(&ada.token).send().await.expect("a stream");
    stream.chunk().await.expect("no break").expect("the first word");

    // As SIGTERM does.
    let ended = tokio::spawn(house.server.stop());
    let last = stream.text().await.expect("an orderly end");
    assert!(last.contains("closing, come back") && last.contains("retry: 1000"), "{last}");
    ended.await.expect("it ends by itself");
}
