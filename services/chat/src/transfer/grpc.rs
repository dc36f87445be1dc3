use kit::{
    caller,
    idempotency::{Begun, begin, settle},
    ids,
};
use proto::chat::v1::{
    ChatFormat, ExportChatRequest, ExportChatResponse, ImportChatRequest, ImportChatResponse,
    transfer_server::Transfer,
};
use tonic::{Request, Response, Status};

use super::{files::Told, store};
use crate::{App, chats, error::Error};

#[tonic::async_trait]
impl Transfer for App {
    async fn export_chat(
        &self,
        request: Request<ExportChatRequest>,
    ) -> Result<Response<ExportChatResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let id = ids::find("chat_not_found", &request.chat_id)?;
        let chat = chats::store::find(&self.db, user.id, id).await?.ok_or(Error::ChatNotFound)?;
        let persona = self.peers.persona(user.id, None).await?;
        let rows = store::all(&self.db, chat.id).await?;
        let name = persona.map_or(user.name, |persona| persona.name);
        let told = Told { chat: &chat, rows: &rows, user: &name };
        let (content, content_type, ending) = match request.format() {
            ChatFormat::Unspecified | ChatFormat::Markdown => {
                (told.markdown(), "text/markdown; charset=utf-8", "md")
            }
            ChatFormat::Json => (told.json(), "application/json", "json"),
            ChatFormat::Sillytavern => (told.sillytavern(), "application/x-ndjson", "jsonl"),
        };
        Ok(Response::new(ExportChatResponse {
            content: content.into_bytes(),
            content_type: content_type.into(),
            file_name: told.name(ending),
        }))
    }

    async fn import_chat(
        &self,
        request: Request<ImportChatRequest>,
    ) -> Result<Response<ImportChatResponse>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let request = request.into_inner();
        let held = match begin(&self.db, user.id, "import_chat", key, &request).await? {
            Begun::Answered(answer) => return Ok(Response::new(answer)),
            Begun::Do(held) => held,
        };
        let imported = self.import(&user, request, held.as_ref()).await;
        Ok(Response::new(settle(&self.db, held, imported).await?))
    }
}
