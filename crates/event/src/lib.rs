//! Plain-data events of a campaign, trait Reporter.
