//! The services behind the BFF: one channel each, a client per thing.

use kit::client::{Channel, MAX_MESSAGE, channel};
use proto::{
    auth::v1::{
        account_data_client::AccountDataClient, accounts_client::AccountsClient, age_client::AgeClient,
        discipline_client::DisciplineClient, mailbox_client::MailboxClient,
        notifications_client::NotificationsClient, people_client::PeopleClient,
        personas_client::PersonasClient, profiles_client::ProfilesClient, security_client::SecurityClient,
    },
    billing::v1::{
        account_data_client::AccountDataClient as BillingDataClient, checkout_client::CheckoutClient,
        coins_client::CoinsClient, plans_client::PlansClient, subscriptions_client::SubscriptionsClient,
    },
    catalog::v1::{
        account_data_client::AccountDataClient as CatalogDataClient, blocks_client::BlocksClient,
        cards_client::CardsClient, characters_client::CharactersClient, creators_client::CreatorsClient,
        held_client::HeldClient, listings_client::ListingsClient, reactions_client::ReactionsClient,
        reports_client::ReportsClient, reviews_client::ReviewsClient, viewers_client::ViewersClient,
    },
    chat::v1::{
        account_data_client::AccountDataClient as ChatDataClient, chats_client::ChatsClient,
        generations_client::GenerationsClient, lorebooks_client::LorebooksClient,
        memories_client::MemoriesClient, prompts_client::PromptsClient, sampling_client::SamplingClient,
        shelf_client::ShelfClient, transfer_client::TransferClient, tree_client::TreeClient,
        turns_client::TurnsClient,
    },
    media::v1::{
        account_data_client::AccountDataClient as MediaDataClient, assets_client::AssetsClient,
        images_client::ImagesClient, judgements_client::JudgementsClient, uploads_client::UploadsClient,
    },
};

use crate::{config::Config, limits::CARD_MESSAGE};

/// Exports of an account are larger than what gRPC takes by itself.
macro_rules! exports {
    ($($name:ident: $client:ident over $channel:ident;)*) => {
        impl Clients {
            $(
                #[must_use]
                pub fn $name(&self) -> $client<Channel> {
                    $client::new(self.$channel.clone()).max_decoding_message_size(kit::client::MAX_EXPORT)
                }
            )*
        }
    };
}

exports! {
    account_data: AccountDataClient over auth;
    catalog_data: CatalogDataClient over catalog;
    chat_data: ChatDataClient over chat;
    media_data: MediaDataClient over media;
    billing_data: BillingDataClient over billing;
    // A character whole, with all that its card says.
    held: HeldClient over catalog;
    // A long chat whole, or many long messages of one.
    chats: ChatsClient over chat;
    shelf: ShelfClient over chat;
    tree: TreeClient over chat;
    transfer: TransferClient over chat;
}

/// Channels; connections are made when first used.
pub struct Clients {
    auth: Channel,
    catalog: Channel,
    chat: Channel,
    media: Channel,
    billing: Channel,
}

macro_rules! clients {
    ($($name:ident: $client:ident over $channel:ident;)*) => {
        impl Clients {
            $(
                #[must_use]
                pub fn $name(&self) -> $client<Channel> {
                    $client::new(self.$channel.clone())
                }
            )*
        }
    };
}

clients! {
    accounts: AccountsClient over auth;
    profiles: ProfilesClient over auth;
    personas: PersonasClient over auth;
    mailbox: MailboxClient over auth;
    security: SecurityClient over auth;
    people: PeopleClient over auth;
    notifications: NotificationsClient over auth;
    age: AgeClient over auth;
    discipline: DisciplineClient over auth;
    blocks: BlocksClient over catalog;
    creators: CreatorsClient over catalog;
    reports: ReportsClient over catalog;
    characters: CharactersClient over catalog;
    listings: ListingsClient over catalog;
    reactions: ReactionsClient over catalog;
    reviews: ReviewsClient over catalog;
    viewers: ViewersClient over catalog;
    generations: GenerationsClient over chat;
    prompts: PromptsClient over chat;
    memories: MemoriesClient over chat;
    lorebooks: LorebooksClient over chat;
    sampling: SamplingClient over chat;
    turns: TurnsClient over chat;
    images: ImagesClient over media;
    judgements: JudgementsClient over media;
    plans: PlansClient over billing;
    subscriptions: SubscriptionsClient over billing;
    coins: CoinsClient over billing;
    checkout: CheckoutClient over billing;
}

impl Clients {
    /// # Errors
    /// When an address is malformed.
    pub fn open(config: &Config) -> anyhow::Result<Self> {
        Ok(Self {
            auth: channel(&config.common.auth_grpc_url)?,
            catalog: channel(&config.catalog_grpc_url)?,
            chat: channel(&config.chat_grpc_url)?,
            media: channel(&config.media_grpc_url)?,
            billing: channel(&config.billing_grpc_url)?,
        })
    }

    /// Pictures are larger than what gRPC takes by itself.
    #[must_use]
    pub fn assets(&self) -> AssetsClient<Channel> {
        AssetsClient::new(self.media.clone())
            .max_decoding_message_size(MAX_MESSAGE)
            .max_encoding_message_size(MAX_MESSAGE)
    }

    /// Card files are larger still, with a picture beside them.
    #[must_use]
    pub fn cards(&self) -> CardsClient<Channel> {
        CardsClient::new(self.catalog.clone())
            .max_decoding_message_size(CARD_MESSAGE)
            .max_encoding_message_size(CARD_MESSAGE)
    }

    #[must_use]
    pub fn uploads(&self) -> UploadsClient<Channel> {
        UploadsClient::new(self.media.clone()).max_encoding_message_size(MAX_MESSAGE)
    }
}
