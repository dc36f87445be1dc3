use kit::{caller, page::Page, time::to_proto};
use proto::auth::v1::{
    ListNotificationsRequest, ListNotificationsResponse, MarkReadRequest, MarkReadResponse,
    Notification as PbNotification, notifications_server::Notifications,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::store;
use crate::{App, limits};

impl From<store::Row> for PbNotification {
    fn from(row: store::Row) -> Self {
        Self {
            id: row.id.to_string(),
            kind: row.kind,
            text: row.text,
            link: row.link,
            read: row.read,
            created_at: Some(to_proto(row.created_at)),
        }
    }
}

#[tonic::async_trait]
impl Notifications for App {
    async fn list_notifications(
        &self,
        request: Request<ListNotificationsRequest>,
    ) -> Result<Response<ListNotificationsResponse>, Status> {
        let user = caller::user(&request)?;
        let page = Page::from_proto(request.into_inner().page.as_ref())?;
        let rows = store::list(&self.db, user.id, page).await?;
        let (all, unread) = store::counts(&self.db, user.id).await?;
        Ok(Response::new(ListNotificationsResponse {
            notifications: rows.into_iter().map(Into::into).collect(),
            page: Some(page.info(all)),
            unread,
        }))
    }

    async fn mark_read(
        &self,
        request: Request<MarkReadRequest>,
    ) -> Result<Response<MarkReadResponse>, Status> {
        let user = caller::user(&request)?;
        let asked = request.into_inner().ids;
        let most = usize::try_from(limits::NOTIFICATIONS).unwrap_or(usize::MAX);
        if asked.len() > most {
            return Err(kit::error::Failure::invalid("ids", format!("At most {most} at once.")).into());
        }
        let ids: Vec<Uuid> = asked.iter().map(|id| kit::ids::parse("ids", id)).collect::<Result<_, _>>()?;
        store::mark_read(&self.db, user.id, &ids).await?;
        let (_, unread) = store::counts(&self.db, user.id).await?;
        Ok(Response::new(MarkReadResponse { unread }))
    }
}
