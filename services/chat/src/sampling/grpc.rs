use proto::chat::v1::{
    DeletePresetRequest, DeletePresetResponse, GetChatSamplingRequest, GetChatSamplingResponse,
    GetSamplingRequest, GetSamplingResponse, ListPresetsRequest, ListPresetsResponse, SavePresetRequest,
    SavePresetResponse, SetChatSamplingRequest, SetChatSamplingResponse, sampling_server::Sampling,
};
use tonic::{Request, Response, Status};

use crate::App;

#[tonic::async_trait]
impl Sampling for App {
    async fn get_sampling(
        &self,
        _: Request<GetSamplingRequest>,
    ) -> Result<Response<GetSamplingResponse>, Status> {
        Err(Status::unimplemented("soon"))
    }

    async fn get_chat_sampling(
        &self,
        _: Request<GetChatSamplingRequest>,
    ) -> Result<Response<GetChatSamplingResponse>, Status> {
        Err(Status::unimplemented("soon"))
    }

    async fn set_chat_sampling(
        &self,
        _: Request<SetChatSamplingRequest>,
    ) -> Result<Response<SetChatSamplingResponse>, Status> {
        Err(Status::unimplemented("soon"))
    }

    async fn list_presets(
        &self,
        _: Request<ListPresetsRequest>,
    ) -> Result<Response<ListPresetsResponse>, Status> {
        Err(Status::unimplemented("soon"))
    }

    async fn save_preset(
        &self,
        _: Request<SavePresetRequest>,
    ) -> Result<Response<SavePresetResponse>, Status> {
        Err(Status::unimplemented("soon"))
    }

    async fn delete_preset(
        &self,
        _: Request<DeletePresetRequest>,
    ) -> Result<Response<DeletePresetResponse>, Status> {
        Err(Status::unimplemented("soon"))
    }
}
