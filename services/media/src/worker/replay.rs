//! Dead letters back into the queue, once their cause is mended: `media-worker replay`.

use anyhow::Context as _;
use kit::config::Common;
use lapin::{
    BasicProperties, Connection, ConnectionProperties,
    options::{BasicAckOptions, BasicGetOptions, BasicPublishOptions, ConfirmSelectOptions},
};

use crate::events;

/// Answers how many were given back. Each is confirmed in the queue before it leaves the dead letters.
///
/// # Errors
/// When RabbitMQ is away or the queue was never declared.
pub async fn replay(common: &Common) -> anyhow::Result<usize> {
    let connection = Connection::connect(common.amqp_url.expose(), ConnectionProperties::default())
        .await
        .context("RabbitMQ at AMQP_URL cannot be reached")?;
    let channel = connection.create_channel().await?;
    channel.confirm_select(ConfirmSelectOptions::default()).await?;
    let (queue, dead) = (common.named(events::JOBS), common.named(&format!("{}.dead", events::JOBS)));
    let mut count = 0;
    while let Some(letter) = channel.basic_get(dead.as_str().into(), BasicGetOptions::default()).await? {
        // Without its headers: deliveries are counted anew.
        let properties = BasicProperties::default().with_delivery_mode(2);
        let sent = channel
            .basic_publish(
                "".into(),
                queue.as_str().into(),
                BasicPublishOptions::default(),
                &letter.data,
                properties,
            )
            .await?;
        anyhow::ensure!(!sent.await?.is_nack(), "the queue did not take a dead letter");
        letter.ack(BasicAckOptions::default()).await?;
        count += 1;
    }
    let _ = connection.close(200, "done".into()).await;
    Ok(count)
}
