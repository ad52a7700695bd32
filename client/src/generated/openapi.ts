// Generated from openapi.json by `npm run client`.
export interface paths {
    "/devices/config-profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List configuration profiles
         * @description All profiles of the organization in one answer, 1,000 at most, ordered by slug.
         */
        get: operations["listProfiles"];
        put?: never;
        /**
         * Create a configuration profile
         * @description Give a slug or a name, and at least one of temperatureAlerts, schedule and intervals. 409 when a profile has the slug, and beyond 1,000 profiles.
         */
        post: operations["createProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/config-profiles/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a configuration profile
         * @description The profile as it was saved last. Devices run what was applied to them, which may be an earlier text.
         */
        get: operations["getProfile"];
        /**
         * Change a configuration profile
         * @description Devices take a changed profile when it is applied, not before.
         */
        put: operations["updateProfile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/config-profiles/{slug}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Apply a profile to devices
         * @description The profile is merged into what is pending for each device, all or none; the job tells how far they are. Above 20,000 devices the job is stored at once with all of them queued, and the change is offered in chunks. At most two dry runs and applies to all at once for an organization; 429 beyond.
         */
        put: operations["applyProfile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/config-jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List configuration jobs, newest first
         * @description Jobs stay in the list after they have ended.
         */
        get: operations["listConfigJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/config-jobs/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a configuration job
         * @description Poll it until status is no longer scheduled or running, or subscribe to config.job.finished. counts says how many devices are in which state.
         */
        get: operations["getConfigJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/config-jobs/{jobId}/targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the devices of a job and where each stands
         * @description One item for each device of the job, with the reason if it failed. waiting: not fetched yet; sent: fetched, not confirmed.
         */
        get: operations["listConfigJobTargets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/config-jobs/{jobId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a scheduled or running job
         * @description Devices that have not settled are cancelled, and their change is withdrawn. A large job is still running in the answer, with cancelRequestedAt: it ends when the change is withdrawn from all its devices.
         */
        post: operations["cancelConfigJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/config-jobs/{jobId}/proceed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin the next stage of a rollout now
         * @description However many devices of the first stage have applied the change; too many refusals end the job all the same. 409 when no stage follows.
         */
        post: operations["proceedConfigJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/config-jobs/{jobId}/extend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move the deadline of a scheduled or running job
         * @description To a later time. 409 when the deadline has passed or the job has ended.
         */
        post: operations["extendConfigJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/config-jobs/{jobId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the same change again to failed and timed-out devices
         * @description Starts a new job with the change as it was applied, whatever the profile says now, for the devices that failed or timed out and have not confirmed it since. 409 when there is none.
         */
        post: operations["retryConfigJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{serial}/config/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw all that waits for a device
         * @description Nothing is pending from then on, also of what the device has refused. Open targets are cancelled, also those queued for a later stage, and jobs that have no other one. What the device runs stays.
         */
        post: operations["withdrawDeviceConfig"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{serial}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a device runs and what waits for it
         * @description Poll until pendingConfig is null and syncStatus is applied; with If-None-Match it costs little.
         */
        get: operations["getDeviceConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{serial}/pending-config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch the change that waits for a device
         * @description The change counts as fetched. 204 when nothing waits.
         */
        get: operations["fetchPendingConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{serial}/config-reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the configuration that a device runs
         * @description The answer carries what waits for the device, which then counts as fetched.
         */
        post: operations["reportConfig"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/unregistered-devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List serial numbers that sent and are not registered
         * @description Those that came with a valid device token of the organization, newest firstSeenAt first. At most 1000 are kept.
         */
        get: operations["listUnregisteredDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/unregistered-devices/{serial}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Forget a serial number that is not registered
         * @description It is listed again when it sends again.
         */
        delete: operations["removeUnregisteredDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{serial}/measurements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send readings of a device
         * @description They are stored when the answer comes. Sending them again does no harm: readings are unique by channel and time.
         */
        post: operations["sendMeasurements"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{assetId}/measurements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a device has measured
         * @description Newest first, also of archived assets; with a resolution minimum, average, maximum and count of each channel and bucket. With Accept: text/csv the whole range from-to as one table, whatever the limit; a connection that ends without its end means that it is not whole.
         */
        get: operations["listMeasurements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/measurements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export what many devices have measured
         * @description A line for each reading, device by device, each newest first: JSON, or with Accept: text/csv a table. A connection that ends without its end means that it is not whole.
         */
        get: operations["exportMeasurements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{assetId}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the settings that a device ran, and when
         * @description Newest first, each whole where it overlaps the span; also of archived assets. Times of which nothing is known have no item. Statistics and curves evaluate each reading by the settings that were in force when it was measured.
         */
        get: operations["listSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{assetId}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Statistics of what a device has measured
         * @description Per channel minimum, maximum, average and mean kinetic temperature, the time outside of the bounds that were in force, how complete the readings are, and gaps: all by the settings at each moment, also of archived assets. A sample holds until the next one, for two periods of measurement at most; more is a gap. With Accept: application/pdf the same as a document, with the curve, also of several devices.
         */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List active devices
         * @description Every device that is not archived, in the order of registration. Filters are combined: a device must match all.
         */
        get: operations["listAssets"];
        put?: never;
        /**
         * Register a device
         * @description The device is new until its first contact. 409 when another active device has the serial number, compared without case.
         */
        post: operations["registerAsset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register many devices
         * @description As CSV, whose first line names the columns, or as a JSON array of bodies as for one device: 1 to 10,000 rows. Each row has its own result, and none fails its neighbours. Beside the fields of one device a row may have group, the name of a group, in place of groupId. Cells are separated by commas, or by semicolons or tabs as the first line shows; blanks around them and empty rows do not count. A serial number that is registered already leaves its device unchanged, so the same rows may be sent again. With dryRun each row has the result that it would have.
         */
        post: operations["importAssets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{assetId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a device
         * @description The device with its present state and its earlier serial numbers. An archived device is answered 404.
         */
        get: operations["getAsset"];
        put?: never;
        post?: never;
        /**
         * Take a device out of service
         * @description Its pending change is withdrawn and its serial number is free again; its history is kept.
         */
        delete: operations["archiveAsset"];
        options?: never;
        head?: never;
        /**
         * Change a device
         * @description What is left out stays; null clears.
         */
        patch: operations["changeAsset"];
        trace?: never;
    };
    "/assets/{assetId}/replace-hardware": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put another logger in the place of this one
         * @description The new logger is given the configuration that the old one ran, and all that waited for it. 409 when another active device has the serial number, and after 1,000 replacements of this one.
         */
        post: operations["replaceHardware"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{assetId}/device-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue a token for this device alone
         * @description Good for the serial number that the device has now, over HTTP and CoAP; other hardware needs a new one. The token is in this answer and in no other. The two before it go on for 24 hours.
         */
        post: operations["issueDeviceToken"];
        /**
         * End the token of this device
         * @description Every process refuses it, and earlier ones that go on, within 5 seconds.
         */
        delete: operations["deleteDeviceToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{assetId}/mute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mute a device for the time of its maintenance
         * @description Readings, alerts and events go on, but nobody is notified and nothing escalates until it ends; alerts that are still open then are notified. With from it begins later: nothing is muted before. A mute takes the place of the one that runs or is planned: 200; 409 when from is given while one runs.
         */
        post: operations["muteAsset"];
        /**
         * End the maintenance of a device
         * @description Alerts that are open are notified from now on; a planned one does not begin. 404 when it is not muted by itself.
         */
        delete: operations["unmuteAsset"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{groupId}/mute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mute the members of a group for the time of their maintenance
         * @description Readings, alerts and events go on, but nobody is notified and nothing escalates until it ends; alerts that are still open then are notified. With from it begins later: nothing is muted before. A mute takes the place of the one that runs or is planned: 200; 409 when from is given while one runs.
         */
        post: operations["muteGroup"];
        /**
         * End the maintenance of a group
         * @description Alerts that are open are notified from now on; a planned one does not begin. 404 when it is not muted by itself.
         */
        delete: operations["unmuteGroup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups, newest first
         * @description The members of a group are in GET /assets?groupId=….
         */
        get: operations["listGroups"];
        put?: never;
        /**
         * Create a group
         * @description With a profile, every device that joins the group and does not run the profile gets a job. 409 when a group has the name, compared without case.
         */
        post: operations["createGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{groupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a group
         * @description With the number of its members.
         */
        get: operations["getGroup"];
        put?: never;
        post?: never;
        /**
         * Delete a group
         * @description All members leave it: what is still open of its profile is withdrawn from them.
         */
        delete: operations["deleteGroup"];
        options?: never;
        head?: never;
        /**
         * Change a group, or bring its profile to all members
         * @description A profile that is named is offered to every member that does not run it, in one job; name it again after it was changed, or after other profiles were applied to members. A member that refused it waits for a retry of its job. What is still open of the profile that the group had before is withdrawn.
         */
        patch: operations["updateGroup"];
        trace?: never;
    };
    "/groups/{groupId}/add-members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let devices join a group
         * @description All or none. Each leaves the group that it was in, and those that do not run the profile of the group get a job.
         */
        post: operations["addGroupMembers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{groupId}/remove-members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let devices leave a group
         * @description All or none. What is still open of the profile of the group is withdrawn; devices that are not in it are left alone.
         */
        post: operations["removeGroupMembers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fleet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count devices, alerts and webhooks by state
         * @description One look at the whole organization. Every state is named, also those with none.
         */
        get: operations["getFleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{assetId}/calibration-certificate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the calibration certificate of a device
         * @description The one that was uploaded for the serial number that the device has now.
         */
        get: operations["getCalibrationCertificate"];
        /**
         * Upload the calibration certificate of a device
         * @description A PDF file of at most 10 MiB, in place of the one before. It belongs to the serial number.
         */
        put: operations["uploadCalibrationCertificate"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts, newest first
         * @description Open and resolved alerts of all devices, or only those of one status, one asset or one group.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts/{alertId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an alert
         * @description An alert keeps its id from the reading or missed contact that opened it until long after it was resolved.
         */
        get: operations["getAlert"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Acknowledge an alert
         * @description Somebody has it in hand: reminders end, and channels that have not notified it yet do not. It stays open until the readings end it; 409 when they have. With snoozeUntil it is new again at that time, and reminders go on. May be repeated to comment, to assign, or to snooze anew.
         */
        patch: operations["acknowledgeAlert"];
        trace?: never;
    };
    "/alerts/{alertId}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Comment on an alert
         * @description Open or resolved. Comments are never changed or deleted, but with the alert itself.
         */
        post: operations["commentAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cellular-webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List cellular webhooks, newest last
         * @description All of them in one answer: a collection holds at most 100. Secrets are never shown.
         */
        get: operations["listCellularWebhooks"];
        put?: never;
        /**
         * Create a cellular webhook
         * @description Events that happen from now on are delivered to it. 409 when the collection holds 100 already.
         */
        post: operations["createCellularWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cellular-webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a cellular webhook
         * @description With its status and, when it is disabled, the reason. The secret is never shown.
         */
        get: operations["getCellularWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a cellular webhook
         * @description What is queued for it is cancelled; a request that is being sent right now may still arrive.
         */
        delete: operations["deleteCellularWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a cellular webhook
         * @description What is left out stays.
         */
        patch: operations["updateCellularWebhook"];
        trace?: never;
    };
    "/cellular-webhooks/{webhookId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry what waits for a cellular webhook now
         * @description While the receiver fails, one delivery is sent as a probe, and the others follow when it succeeds; otherwise all that waits for a retry is sent, paced. 409 on a disabled webhook.
         */
        post: operations["retryCellularWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List event webhooks, newest last
         * @description All of them in one answer: a collection holds at most 100. Secrets are never shown.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create an event webhook
         * @description Events that happen from now on are delivered to it. 409 when the collection holds 100 already.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an event webhook
         * @description With its status and, when it is disabled, the reason. The secret is never shown.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete an event webhook
         * @description What is queued for it is cancelled; a request that is being sent right now may still arrive.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change an event webhook
         * @description What is left out stays.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/webhooks/{webhookId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry what waits for an event webhook now
         * @description While the receiver fails, one delivery is sent as a probe, and the others follow when it succeeds; otherwise all that waits for a retry is sent, paced. 409 on a disabled webhook.
         */
        post: operations["retryWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cellular-webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries, newest first
         * @description One item for each event that was queued for the endpoint, delivered or not. Kept for 7 days unless the operator has set another time. With eventType, and with state delivered, a page reads 10,000 deliveries at most: it may have fewer items than limit while nextCursor leads on.
         */
        get: operations["listCellularWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cellular-webhooks/{webhookId}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery with its payload and its attempts
         * @description payload is what is sent. Each attempt shows when it was made, how long it took, and what the receiver answered or why it failed. attempts holds the newest 100, oldest first; attemptCount counts all.
         */
        get: operations["getCellularWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cellular-webhooks/{webhookId}/deliveries/{deliveryId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again, with the same webhook-id
         * @description One attempt at once, also while the endpoint is failing; when it fails, the whole schedule follows. 409 on a disabled endpoint, while an attempt is being made, and after 1,000 attempts.
         */
        post: operations["resendCellularWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cellular-webhooks/{webhookId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send all deliveries of a span of time again
         * @description Failed and blocked ones unless states says otherwise; paced, with the same webhook-ids. queued counts up to 100,000, and delivered ones among the first 100,000 of the span: beyond that, more are sent than it says.
         */
        post: operations["replayCellularWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cellular-webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one webhook.test now and tell what came of it
         * @description Also to a disabled endpoint. A test is sent once, is not listed among the deliveries, and changes neither health nor status of the endpoint. It takes its turn among the requests to the endpoint. error is "not reachable" when the host name has no address or none that is allowed.
         */
        post: operations["testCellularWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cellular-webhooks/{webhookId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret; the old one signs along for a while
         * @description Until previousValidUntil every request carries a signature of the new and one of the old secret. Without secret in the body one is generated, and shown only in this answer.
         */
        post: operations["rotateCellularWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries, newest first
         * @description One item for each event that was queued for the endpoint, delivered or not. Kept for 7 days unless the operator has set another time. With eventType, and with state delivered, a page reads 10,000 deliveries at most: it may have fewer items than limit while nextCursor leads on.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery with its payload and its attempts
         * @description payload is what is sent. Each attempt shows when it was made, how long it took, and what the receiver answered or why it failed. attempts holds the newest 100, oldest first; attemptCount counts all.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/deliveries/{deliveryId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again, with the same webhook-id
         * @description One attempt at once, also while the endpoint is failing; when it fails, the whole schedule follows. 409 on a disabled endpoint, while an attempt is being made, and after 1,000 attempts.
         */
        post: operations["resendWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send all deliveries of a span of time again
         * @description Failed and blocked ones unless states says otherwise; paced, with the same webhook-ids. queued counts up to 100,000, and delivered ones among the first 100,000 of the span: beyond that, more are sent than it says.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one webhook.test now and tell what came of it
         * @description Also to a disabled endpoint. A test is sent once, is not listed among the deliveries, and changes neither health nor status of the endpoint. It takes its turn among the requests to the endpoint. error is "not reachable" when the host name has no address or none that is allowed.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret; the old one signs along for a while
         * @description Until previousValidUntil every request carries a signature of the new and one of the old secret. Without secret in the body one is generated, and shown only in this answer.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notification channels, newest first
         * @description Secrets are never shown.
         */
        get: operations["listNotificationChannels"];
        put?: never;
        /**
         * Create a notification channel
         * @description People are notified there of alerts that open from now on, and when those are over. What happens within a few seconds is in one message. 409 when there are 100 channels already, and for e-mail when the service has no mail server. An e-mail address is unconfirmed until its owner has pressed the button behind the link that is sent there; until then it gets nothing else.
         */
        post: operations["createNotificationChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-channels/{channelId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a notification channel
         * @description With what came of the latest attempt to send a message there.
         */
        get: operations["getNotificationChannel"];
        put?: never;
        post?: never;
        /**
         * Delete a notification channel
         * @description What it has not sent is dropped; a message that is being sent right now may still arrive. 409 while an escalation names it in a step.
         */
        delete: operations["deleteNotificationChannel"];
        options?: never;
        head?: never;
        /**
         * Change a notification channel
         * @description What is left out stays; the type cannot be changed. Types, groups and delay decide about alerts that open from then on; all else holds at once. 409 for another e-mail address when the service has no mail server.
         */
        patch: operations["updateNotificationChannel"];
        trace?: never;
    };
    "/notification-channels/{channelId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one test message now and tell what came of it
         * @description Also to a disabled channel, and in quiet hours. A test is sent once; lastError of the channel shows what came of it; by e-mail five an hour. statusCode is null for e-mail. error is "not reachable" when the host name has no address or none that is allowed. 409 for e-mail when the service has no mail server, or the address is unconfirmed.
         */
        post: operations["testNotificationChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-channels/{channelId}/confirm-again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the link that confirms an e-mail address again
         * @description The link works for 24 hours, and the earlier one no more. At most five links an hour, for a channel and for a mailbox, from your organization. 409 when the address is confirmed, and for other types.
         */
        post: operations["confirmNotificationChannelAgain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/escalations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List escalations, newest first
         * @description An alert escalates by the oldest active one that matches it.
         */
        get: operations["listEscalations"];
        put?: never;
        /**
         * Create an escalation
         * @description Alerts that open from now on and match it are notified step by step, until somebody acknowledges them or they are over. Steps keep to no types, groups, delay, reminder or quiet hours of their channels. A channel that is named in a step notifies by itself only of alerts that the escalation does not match. 409 when there are 100 escalations already.
         */
        post: operations["createEscalation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/escalations/{escalationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an escalation
         * @description What escalates by it at present is in GET /alerts, as escalation.id.
         */
        get: operations["getEscalation"];
        put?: never;
        post?: never;
        /**
         * Delete an escalation
         * @description Steps that are not made yet are not made.
         */
        delete: operations["deleteEscalation"];
        options?: never;
        head?: never;
        /**
         * Change an escalation
         * @description What is left out stays. Types, severities and groups decide about alerts that open from then on; steps that are not made yet follow the change at once, and when it is disabled they are not made.
         */
        patch: operations["updateEscalation"];
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys, newest first
         * @description Keys of customers and of devices, expired ones too. Deleted keys are left out, and tokens of single devices.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The key itself is in this answer and in no other. It works at once, for its kind and role. An organization has at most 100 keys, beside the tokens of single devices; 409 beyond, and for kind device where the organization requires a token of each device.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an API key
         * @description Every process refuses it within 5 seconds. 409 for the last key with the role admin that is still valid.
         */
        delete: operations["deleteKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what, newest first
         * @description One entry for every change by a customer key, a person, the command line or the Temporal UI, with what GET showed before and after. A refused request has none, and a dry run neither.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link that signs in to the operators' page
         * @description The link works once, within 10 minutes, also for a role that is less than that of the key. It and the session that it begins end with the key; those of a person who was signed in without a key end with the session of that person. 404 when the service has no such page.
         */
        post: operations["createOperatorLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who is signed in to the operators' page, newest first
         * @description By link or by identity provider. At most 200 at once: the oldest session ends with the next one.
         */
        get: operations["listOperatorSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator-sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session, as if the person had signed out
         * @description The next request of the browser is answered with the page for signing in.
         */
        delete: operations["endOperatorSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "data.measurement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A device sent new readings
         * @description Readings that the service has stored before are left out.
         */
        post: operations["onDataMeasurement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "data.measurement.alert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A device sent readings that breach the bounds of an alert
         * @description One for each alert that the frame has a reading in breach for, at most 20, of the latest breaches. Readings that are late do not count.
         */
        post: operations["onDataMeasurementAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "alert.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An alert was opened
         * @description By a reading out of bounds, at the time of the reading, or by a missed contact, at the time it was expected.
         */
        post: operations["onAlertCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "alert.acknowledged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Somebody has taken an alert in hand
         * @description Once for each acknowledgement: again when it was snoozed and has become new since.
         */
        post: operations["onAlertAcknowledged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "alert.resolved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An alert was resolved
         * @description By a reading back within bounds, by the return of the device, by other rules on the device, or by archiving it.
         */
        post: operations["onAlertResolved"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "config.applied": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A device confirmed a change of its configuration
         * @description One for each job that the confirmation settled. Cellular webhooks receive it with deliverConfigApplied.
         */
        post: operations["onConfigApplied"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "config.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A device refused a change of its configuration
         * @description One for each job that the refusal settled.
         */
        post: operations["onConfigFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "config.job.finished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A configuration job ended
         * @description Whatever its outcome: the status of the job says which.
         */
        post: operations["onConfigJobFinished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "device.offline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A device missed its expected contact
         * @description Sent once, when the service finds out; an alert of type no_data is opened with it.
         */
        post: operations["onDeviceOffline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "device.online": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A device that was offline is back
         * @description Sent with the first contact after device.offline.
         */
        post: operations["onDeviceOnline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "fleet.silent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Many devices missed their expected contact at once
         * @description More than a tenth of all active devices, and more than twenty. Sent once, instead of device.offline and alert.created for each of them; the alerts are in the list. Those that are still overdue in the end have their own events then.
         */
        post: operations["onFleetSilent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A webhook was disabled because deliveries to it fail
         * @description Sent to the other webhooks of the organization. What was queued for the disabled one is held until it is enabled.
         */
        post: operations["onWebhookDisabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    notification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * People are notified of alerts
         * @description Sent to notification channels of type webhook, one for all alerts that opened, are still open or are over since the one before, and for excursions in late data. At most 20 are in alerts; counts is of all. Steps of escalations are messages of their own.
         */
        post: operations["onNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test of this endpoint was requested
         * @description Sent once by the test operations, to that endpoint alone, also when it is disabled.
         */
        post: operations["onWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @example {
         *       "id": "019cb0a8-2f1c-7d3e-9a44-6b1f0c2d3e4f",
         *       "recType": "alert",
         *       "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
         *       "serialNumber": "282C02424EED",
         *       "type": "high_temp",
         *       "severity": "critical",
         *       "status": "new",
         *       "details": {
         *         "channel": 1,
         *         "value": 8.6,
         *         "bounds": {
         *           "lowC": 2,
         *           "highC": 8,
         *           "hysteresisC": 0.5
         *         }
         *       },
         *       "timestamp": "2026-03-02T08:15:00.000Z",
         *       "updatedAt": "2026-03-02T08:15:30.000Z",
         *       "late": false,
         *       "endedAt": null,
         *       "extreme": null,
         *       "acknowledgedAt": null,
         *       "acknowledgedBy": null,
         *       "assignee": null,
         *       "snoozeUntil": null,
         *       "muted": false,
         *       "escalation": {
         *         "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
         *         "step": 1,
         *         "nextStepAt": "2026-03-02T08:25:30.000Z"
         *       }
         *     }
         */
        Alert: {
            id: string;
            /** @enum {string} */
            recType: "alert";
            assetId: string;
            /** @description Of the hardware that was there when it began */
            serialNumber: string;
            /** @enum {string} */
            type: "high_temp" | "low_temp" | "no_data" | "low_battery" | "sensor_error";
            /** @enum {string} */
            severity: "warning" | "critical";
            /** @enum {string} */
            status: "new" | "acknowledged" | "resolved";
            details: {
                /** @description high_temp, low_temp, sensor_error */
                channel?: number;
                /** @description °C, of the reading that began it */
                value?: number;
                bounds?: {
                    /** @description °C; null when there is no such bound */
                    lowC: number | null;
                    /** @description °C; null when there is no such bound */
                    highC: number | null;
                    hysteresisC: number;
                };
                /**
                 * @description high_temp, low_temp: ended by a reading outside of its schedule; absent otherwise
                 * @enum {string}
                 */
                resolution?: "outside_schedule";
                /** @description sensor_error: the error code of the sensor */
                error?: number;
                /**
                 * Format: date-time
                 * @description no_data: when the device should have made contact at the latest
                 * @example 2026-03-02T08:15:30.000Z
                 */
                expectedBy?: string;
            };
            /**
             * Format: date-time
             * @description When it began
             * @example 2026-03-02T08:15:30.000Z
             */
            timestamp: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            updatedAt: string;
            /** @description An excursion that late readings showed: it was over when it was recorded */
            late: boolean;
            /**
             * Format: date-time
             * @description Of the reading that ended it, or when else it was resolved; null: it is open
             * @example 2026-03-02T08:15:30.000Z
             */
            endedAt: string | null;
            /** @description The value of a late excursion that is farthest from its bound; null for other alerts */
            extreme: {
                /** @description °C */
                value: number;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, milliseconds
                 * @example 2026-03-02T08:15:30.000Z
                 */
                at: string;
            } | null;
            /**
             * Format: date-time
             * @description null: it is not acknowledged
             * @example 2026-03-02T08:15:30.000Z
             */
            acknowledgedAt: string | null;
            /** @description The key or the person; null: nobody yet */
            acknowledgedBy: {
                /** @description null: a person or program without a key; name says who */
                keyId: string | null;
                name: string;
            } | null;
            /** @description Who takes care of it; null: not said */
            assignee: string | null;
            /**
             * Format: date-time
             * @description When it is new again if it is still open
             * @example 2026-03-02T08:15:30.000Z
             */
            snoozeUntil: string | null;
            /** @description Whether the device is under maintenance; of a resolved alert, whether it was at its end */
            muted: boolean;
            /** @description null: no escalation matched it */
            escalation: {
                /** @description Of the escalation that matched it */
                id: string;
                /** @description How many steps were made */
                step: number;
                /**
                 * Format: date-time
                 * @description When the next one follows; null: none does
                 * @example 2026-03-02T08:15:30.000Z
                 */
                nextStepAt: string | null;
            } | null;
        };
        /**
         * @example {
         *       "at": "2026-03-02T08:20:00.000Z",
         *       "action": "commented",
         *       "by": {
         *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
         *         "name": "Night shift"
         *       },
         *       "comment": "The door was open: closed now"
         *     }
         */
        AlertAction: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            at: string;
            /** @enum {string} */
            action: "opened" | "acknowledged" | "assigned" | "commented" | "snoozed" | "snooze_ended" | "escalated" | "resolved";
            /** @description null: the service itself */
            by: {
                /** @description null: a person or program without a key; name says who */
                keyId: string | null;
                name: string;
            } | null;
            /** @description What was said; assigned: to whom, null for nobody; snoozed: until when; escalated: the step and its channels */
            comment: string | null;
        };
        /**
         * @example {
         *       "id": "019cb0a8-2f1c-7d3e-9a44-6b1f0c2d3e4f",
         *       "recType": "alert",
         *       "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
         *       "serialNumber": "282C02424EED",
         *       "type": "high_temp",
         *       "severity": "critical",
         *       "status": "new",
         *       "details": {
         *         "channel": 1,
         *         "value": 8.6,
         *         "bounds": {
         *           "lowC": 2,
         *           "highC": 8,
         *           "hysteresisC": 0.5
         *         }
         *       },
         *       "timestamp": "2026-03-02T08:15:00.000Z",
         *       "updatedAt": "2026-03-02T08:15:30.000Z",
         *       "late": false,
         *       "endedAt": null,
         *       "extreme": null,
         *       "acknowledgedAt": null,
         *       "acknowledgedBy": null,
         *       "assignee": null,
         *       "snoozeUntil": null,
         *       "muted": false,
         *       "escalation": {
         *         "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
         *         "step": 1,
         *         "nextStepAt": "2026-03-02T08:25:30.000Z"
         *       },
         *       "history": [
         *         {
         *           "at": "2026-03-02T08:15:30.000Z",
         *           "action": "opened",
         *           "by": null,
         *           "comment": null
         *         }
         *       ]
         *     }
         */
        AlertWithHistory: {
            id: string;
            /** @enum {string} */
            recType: "alert";
            assetId: string;
            /** @description Of the hardware that was there when it began */
            serialNumber: string;
            /** @enum {string} */
            type: "high_temp" | "low_temp" | "no_data" | "low_battery" | "sensor_error";
            /** @enum {string} */
            severity: "warning" | "critical";
            /** @enum {string} */
            status: "new" | "acknowledged" | "resolved";
            details: {
                /** @description high_temp, low_temp, sensor_error */
                channel?: number;
                /** @description °C, of the reading that began it */
                value?: number;
                bounds?: {
                    /** @description °C; null when there is no such bound */
                    lowC: number | null;
                    /** @description °C; null when there is no such bound */
                    highC: number | null;
                    hysteresisC: number;
                };
                /**
                 * @description high_temp, low_temp: ended by a reading outside of its schedule; absent otherwise
                 * @enum {string}
                 */
                resolution?: "outside_schedule";
                /** @description sensor_error: the error code of the sensor */
                error?: number;
                /**
                 * Format: date-time
                 * @description no_data: when the device should have made contact at the latest
                 * @example 2026-03-02T08:15:30.000Z
                 */
                expectedBy?: string;
            };
            /**
             * Format: date-time
             * @description When it began
             * @example 2026-03-02T08:15:30.000Z
             */
            timestamp: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            updatedAt: string;
            /** @description An excursion that late readings showed: it was over when it was recorded */
            late: boolean;
            /**
             * Format: date-time
             * @description Of the reading that ended it, or when else it was resolved; null: it is open
             * @example 2026-03-02T08:15:30.000Z
             */
            endedAt: string | null;
            /** @description The value of a late excursion that is farthest from its bound; null for other alerts */
            extreme: {
                /** @description °C */
                value: number;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, milliseconds
                 * @example 2026-03-02T08:15:30.000Z
                 */
                at: string;
            } | null;
            /**
             * Format: date-time
             * @description null: it is not acknowledged
             * @example 2026-03-02T08:15:30.000Z
             */
            acknowledgedAt: string | null;
            /** @description The key or the person; null: nobody yet */
            acknowledgedBy: {
                /** @description null: a person or program without a key; name says who */
                keyId: string | null;
                name: string;
            } | null;
            /** @description Who takes care of it; null: not said */
            assignee: string | null;
            /**
             * Format: date-time
             * @description When it is new again if it is still open
             * @example 2026-03-02T08:15:30.000Z
             */
            snoozeUntil: string | null;
            /** @description Whether the device is under maintenance; of a resolved alert, whether it was at its end */
            muted: boolean;
            /** @description null: no escalation matched it */
            escalation: {
                /** @description Of the escalation that matched it */
                id: string;
                /** @description How many steps were made */
                step: number;
                /**
                 * Format: date-time
                 * @description When the next one follows; null: none does
                 * @example 2026-03-02T08:15:30.000Z
                 */
                nextStepAt: string | null;
            } | null;
            /** @description Oldest first */
            history: components["schemas"]["AlertAction"][];
        };
        /**
         * @example {
         *       "ok": true,
         *       "profileSlug": "vaccine-fridge",
         *       "appliedCount": 1,
         *       "applied": [
         *         "282C02424EED"
         *       ],
         *       "jobId": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5"
         *     }
         */
        Applied: {
            ok: boolean;
            profileSlug: string;
            appliedCount: number;
            /** @description Serials, in the order sent or by asset id */
            applied: string[];
            /** @description The job to poll; null when there is nothing to wait for */
            jobId: string | null;
            /** @description With dryRun: one per variant of device */
            preview?: components["schemas"]["Preview"][];
        };
        /**
         * @description To the devices of serialNumbers, of groupId, or with applyToAll to all: one of the three.
         * @example {
         *       "serialNumbers": [
         *         "282C02424EED"
         *       ],
         *       "deadlineMinutes": 1440
         *     }
         */
        Apply: {
            /**
             * @example [
             *       "282C02424EED"
             *     ]
             */
            serialNumbers?: string[];
            /**
             * @description All active devices
             * @enum {boolean}
             */
            applyToAll?: true;
            /** @description All active devices of a group */
            groupId?: string;
            /**
             * Format: date-time
             * @description From when on the change is offered, at most 30 days ahead; until then the job is scheduled. Default: at once
             * @example 2026-03-02T08:15:30Z
             */
            startAt?: string;
            /** @description Minutes from the start until the job stops waiting; the change stays pending. Default: 2880 */
            deadlineMinutes?: number;
            rollout?: components["schemas"]["Rollout"];
        };
        /**
         * @example {
         *       "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
         *       "recType": "asset",
         *       "name": "Vaccine fridge 2",
         *       "serialNumber": "282C02424EED",
         *       "status": "online",
         *       "signalStrength": "good",
         *       "batteryStatus": "ok",
         *       "model": "TVO-THT",
         *       "lastReadingAt": "2026-03-02T08:15:00.000Z",
         *       "waterType": null,
         *       "floor": 0,
         *       "buildingId": "main",
         *       "spaceId": "pharmacy",
         *       "createdAt": "2026-02-20T13:05:12.000Z"
         *     }
         */
        Asset: {
            id: string;
            /** @enum {string} */
            recType: "asset";
            name: string;
            serialNumber: string;
            /**
             * @description new: no contact yet; offline: an expected contact was missed
             * @enum {string}
             */
            status: "new" | "online" | "offline" | "archived";
            /** @enum {string} */
            signalStrength: "good" | "fair" | "poor" | "unknown";
            /** @enum {string} */
            batteryStatus: "ok" | "low" | "unknown";
            model: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            lastReadingAt: string | null;
            waterType: string | null;
            floor: number | null;
            buildingId: string | null;
            spaceId: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
        };
        /**
         * @example {
         *       "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
         *       "recType": "asset",
         *       "name": "Vaccine fridge 2",
         *       "serialNumber": "282C02424EED",
         *       "status": "online",
         *       "signalStrength": "good",
         *       "batteryStatus": "ok",
         *       "model": "TVO-THT",
         *       "lastReadingAt": "2026-03-02T08:15:00.000Z",
         *       "waterType": null,
         *       "floor": 0,
         *       "buildingId": "main",
         *       "spaceId": "pharmacy",
         *       "createdAt": "2026-02-20T13:05:12.000Z",
         *       "groupId": "019cb0a5-9f31-7d02-a6c4-58e1b7d2f093",
         *       "syncStatus": "applied",
         *       "openAlerts": 0,
         *       "mute": null,
         *       "latest": [
         *         {
         *           "channel": 1,
         *           "position": "probe",
         *           "type": "temperature",
         *           "value": 4.2,
         *           "unit": "°C",
         *           "measuredAt": "2026-03-02T08:15:00.000Z"
         *         }
         *       ],
         *       "replacementHistory": [
         *         {
         *           "serialNumber": "282C0241A0F3",
         *           "replacedAt": "2026-02-27T10:30:00.000Z"
         *         }
         *       ]
         *     }
         */
        AssetDetail: {
            id: string;
            /** @enum {string} */
            recType: "asset";
            name: string;
            serialNumber: string;
            /**
             * @description new: no contact yet; offline: an expected contact was missed
             * @enum {string}
             */
            status: "new" | "online" | "offline" | "archived";
            /** @enum {string} */
            signalStrength: "good" | "fair" | "poor" | "unknown";
            /** @enum {string} */
            batteryStatus: "ok" | "low" | "unknown";
            model: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            lastReadingAt: string | null;
            waterType: string | null;
            floor: number | null;
            buildingId: string | null;
            spaceId: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /** @description null when the device is in no group */
            groupId: string | null;
            /**
             * @description As in the configuration of the device
             * @enum {string}
             */
            syncStatus: "no_device_report" | "pending" | "sent" | "failed" | "applied" | "drifted";
            /** @description How many alerts are new or acknowledged */
            openAlerts: number;
            mute: components["schemas"]["Mute"] | null;
            /** @description The newest sample of each channel; samples that came late replace none that came in time */
            latest: components["schemas"]["LatestReading"][];
            /** @description Earlier hardware, the latest 100, oldest first */
            replacementHistory: {
                serialNumber: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, milliseconds
                 * @example 2026-03-02T08:15:30.000Z
                 */
                replacedAt: string;
            }[];
        };
        /**
         * @example {
         *       "id": "019cb0a6-11a0-7c33-9a53-0c2f5f7e8d11",
         *       "recType": "audit-entry",
         *       "at": "2026-03-02T08:15:30.000Z",
         *       "actor": {
         *         "keyId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c28",
         *         "name": "Facility team"
         *       },
         *       "action": "deleteWebhook",
         *       "subject": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c29",
         *       "subjectName": "https://example.com/hooks",
         *       "serialNumber": null,
         *       "before": {
         *         "status": "active",
         *         "url": "https://example.com/hooks"
         *       },
         *       "after": null
         *     }
         */
        AuditEntry: {
            id: string;
            /** @enum {string} */
            recType: "audit-entry";
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            at: string;
            actor: {
                /** @description null: a person or program without a key; name says who */
                keyId: string | null;
                name: string;
            };
            /** @description The operationId; confirmAddress: the owner of an e-mail address has confirmed it for the channel */
            action: string;
            /** @description Id, slug, or serial number in lower case, of what was changed */
            subject: string;
            /** @description Name of the device, the group or another thing, or the address of a webhook or channel without one: the present one of a device, group or webhook, otherwise as GET showed it; null without a name */
            subjectName: string | null;
            /** @description Of the device that the change is about, if it is about one */
            serialNumber: string | null;
            /** @description What GET showed before; null on creation. Never a secret */
            before: Record<string, never> | null;
            /** @description What GET showed after; null on deletion. Never a secret */
            after: Record<string, never> | null;
        };
        /**
         * @example {
         *       "id": "019cb0a4-9d3b-7f61-a2c8-5e7d1f0b3a94",
         *       "recType": "cellular-webhook",
         *       "name": "Production",
         *       "url": "https://example.com/hooks/loggers",
         *       "status": "active",
         *       "disabledReason": null,
         *       "deliverConfigApplied": true,
         *       "createdAt": "2026-02-20T13:05:12.000Z",
         *       "updatedAt": "2026-02-20T13:05:12.000Z",
         *       "delivery": {
         *         "lastDeliveredAt": "2026-03-02T08:15:30.000Z",
         *         "lastAttemptAt": "2026-03-02T08:15:30.000Z",
         *         "lastStatus": "delivered",
         *         "lastStatusCode": 204,
         *         "lastError": null
         *       },
         *       "health": {
         *         "state": "healthy",
         *         "since": null,
         *         "backlog": 0,
         *         "oldestPendingAt": null,
         *         "nextAttemptAt": null
         *       }
         *     }
         */
        CellularWebhook: {
            id: string;
            /** @enum {string} */
            recType: "cellular-webhook";
            /**
             * @description For people.
             * @example Production
             */
            name: string;
            /**
             * @description Absolute http or https URL, without credentials or fragment, of a public host.
             * @example https://example.com/hooks/loggers
             */
            url: string;
            /**
             * @description Only active endpoints are delivered to.
             * @enum {string}
             */
            status: "active" | "disabled";
            /**
             * @description null while active. customer: through this API; failing: nothing got through for days; gone: it answered 410
             * @enum {string|null}
             */
            disabledReason: "customer" | "failing" | "gone" | null;
            /** @description Deliver config.applied as well. */
            deliverConfigApplied: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            updatedAt: string;
            /** @description How the last attempt went; all null before the first one. */
            delivery: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, milliseconds
                 * @example 2026-03-02T08:15:30.000Z
                 */
                lastDeliveredAt: string | null;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, milliseconds
                 * @example 2026-03-02T08:15:30.000Z
                 */
                lastAttemptAt: string | null;
                /** @enum {string|null} */
                lastStatus: "delivered" | "retrying" | "failed" | "blocked" | null;
                lastStatusCode: number | null;
                lastError: string | null;
            };
            /** @description How deliveries to the endpoint are going. */
            health: {
                /**
                 * @description failing: the latest attempts failed; recovering: the backlog is sent at a growing pace; disabled: nothing is sent
                 * @enum {string}
                 */
                state: "healthy" | "failing" | "recovering" | "disabled";
                /**
                 * Format: date-time
                 * @description null while healthy
                 * @example 2026-03-02T08:15:30.000Z
                 */
                since: string | null;
                /** @description Deliveries that wait, held ones too; 10000 means 10000 or more */
                backlog: number;
                /**
                 * Format: date-time
                 * @description When the oldest of them was queued
                 * @example 2026-03-02T08:15:30.000Z
                 */
                oldestPendingAt: string | null;
                /**
                 * Format: date-time
                 * @description null when none is planned
                 * @example 2026-03-02T08:15:30.000Z
                 */
                nextAttemptAt: string | null;
            };
        };
        /**
         * @example {
         *       "deliverConfigApplied": false
         *     }
         */
        ChangeCellularWebhook: {
            /**
             * Format: uri
             * @description Absolute http or https URL, without credentials or fragment, of a public host.
             * @example https://example.com/hooks/loggers
             */
            url?: string;
            /**
             * @description Only active endpoints are delivered to.
             * @enum {string}
             */
            status?: "active" | "disabled";
            /**
             * @description null takes it away, and deliveries are no longer signed.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret?: string | null;
            /**
             * @description For people.
             * @example Production
             */
            name?: string;
            /** @description Deliver config.applied as well. */
            deliverConfigApplied?: boolean;
        };
        /**
         * @example {
         *       "repeatMinutes": 60
         *     }
         */
        ChangeEscalation: {
            /** @example Cold store, at night */
            name?: string;
            /**
             * @description The types of alerts that it is for.
             * @example [
             *       "high_temp",
             *       "low_temp"
             *     ]
             */
            alertTypes?: ("high_temp" | "low_temp" | "no_data" | "low_battery" | "sensor_error")[];
            /**
             * @description The severities of alerts that it is for.
             * @example [
             *       "critical"
             *     ]
             */
            severities?: ("warning" | "critical")[];
            /** @description Only alerts of assets in these groups; empty: of all assets. One that is deleted later matches nothing. */
            groupIds?: string[];
            /** @description Made one after the other, until somebody acknowledges the alert or it is over. */
            steps?: {
                /**
                 * @description Counted from when the alert was opened; 0: at once.
                 * @example 0
                 */
                afterMinutes: number;
                /** @description Notification channels; one that is disabled or unconfirmed by then is left out. */
                channelIds: string[];
            }[];
            /** @description The last step is repeated after so long, 10 times at most. null: it is not. */
            repeatMinutes?: number | null;
            /**
             * @description Disabling one ends the escalations that are under way.
             * @enum {string}
             */
            status?: "active" | "disabled";
        };
        /**
         * @example {
         *       "delayMinutes": 5
         *     }
         */
        ChangeNotificationChannel: {
            /**
             * @description Shown in place of the target. null: none. Several channels may share a name.
             * @example Grace, on call
             */
            name?: string | null;
            /**
             * @description An e-mail address, or an absolute http or https URL of a public host, as for webhooks.
             * @example https://example.com/hooks/notifications
             */
            target?: string;
            /**
             * @description The types of alerts to notify of.
             * @example [
             *       "high_temp",
             *       "low_temp"
             *     ]
             */
            alertTypes?: ("high_temp" | "low_temp" | "no_data" | "low_battery" | "sensor_error")[];
            /** @description Only alerts of assets in these groups; empty: of all assets. One that is deleted later matches nothing. */
            groupIds?: string[];
            /** @description Notify only of alerts that are still open after so long. */
            delayMinutes?: number;
            /** @description While an alert is open and not acknowledged, notify of it again each time so long has passed. null: once. */
            reminderMinutes?: number | null;
            /** @description Nothing but steps of escalations is sent between these times. What they held is sent when they end, if the alert is still open. null: none. */
            quietHours?: {
                /**
                 * @description Local time.
                 * @example 22:00
                 */
                from: string;
                /**
                 * @description When earlier than from, on the day after.
                 * @example 07:00
                 */
                to: string;
                /** @example Europe/Stockholm */
                timezone: string;
            } | null;
            /**
             * @description Only active channels are sent to. Disabling one drops what it has not sent.
             * @enum {string}
             */
            status?: "active" | "disabled";
            /**
             * @description null takes it away, and messages are no longer signed.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret?: string | null;
        };
        /**
         * @example {
         *       "status": "active"
         *     }
         */
        ChangeWebhook: {
            /**
             * Format: uri
             * @description Absolute http or https URL, without credentials or fragment, of a public host.
             * @example https://example.com/hooks/loggers
             */
            url?: string;
            /**
             * @description Only active endpoints are delivered to.
             * @enum {string}
             */
            status?: "active" | "disabled";
            /**
             * @description null takes it away, and deliveries are no longer signed.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret?: string | null;
            /**
             * @description The kinds of events to deliver.
             * @example [
             *       "data.measurement.alert",
             *       "alert.created"
             *     ]
             */
            events?: ("data.measurement.alert" | "alert.created" | "alert.acknowledged" | "alert.resolved" | "config.applied" | "config.failed" | "config.job.finished" | "device.offline" | "device.online" | "fleet.silent" | "webhook.disabled")[];
        };
        /**
         * @example {
         *       "id": "019cb0a5-9f31-7d02-a6c4-58e1b7d2f093",
         *       "recType": "group",
         *       "name": "Vaccine fridges",
         *       "profileSlug": "vaccine-fridge",
         *       "memberCount": 12,
         *       "mute": null,
         *       "createdAt": "2026-02-20T13:05:12.000Z",
         *       "updatedAt": "2026-03-02T08:15:30.000Z",
         *       "jobId": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5"
         *     }
         */
        ChangedGroup: {
            id: string;
            /** @enum {string} */
            recType: "group";
            name: string;
            /** @description The profile that members are to run */
            profileSlug: string | null;
            memberCount: number;
            mute: components["schemas"]["Mute"] | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            updatedAt: string;
            /** @description The job for members that do not run the profile; null when there is none */
            jobId: string | null;
            /** @description With dryRun: what the job would offer, one per variant of device */
            preview?: components["schemas"]["Preview"][];
        };
        ChangedSetting: {
            /**
             * @description alarmRules: details of the rules beyond the others, such as when the device transmits
             * @enum {string}
             */
            setting: "lowC" | "highC" | "hysteresisC" | "delayMinutes" | "severity" | "schedule" | "measurementIntervalSeconds" | "transmissionIntervalSeconds" | "alarmRules";
            /** @description Of an alert */
            channel?: number;
            /**
             * @description Of the channel; null: the device has none there
             * @enum {string|null}
             */
            position?: "probe" | "ambient" | null;
            /** @description Null: there is none. Left out: the device has not shown it yet */
            from?: null | number | string;
            /** @description Null: there will be none */
            to: null | number | string;
        };
        /**
         * @example {
         *       "id": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5",
         *       "profileSlug": "vaccine-fridge",
         *       "status": "succeeded",
         *       "reason": null,
         *       "total": 2,
         *       "counts": {
         *         "queued": 0,
         *         "waiting": 0,
         *         "sent": 0,
         *         "applied": 2,
         *         "failed": 0,
         *         "cancelled": 0,
         *         "superseded": 0,
         *         "timedOut": 0
         *       },
         *       "deadlineAt": "2026-03-04T08:00:00.000Z",
         *       "createdAt": "2026-03-02T08:00:00.000Z",
         *       "createdBy": {
         *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
         *         "name": "Kitchen"
         *       },
         *       "origin": {
         *         "action": "applyProfile",
         *         "scope": "devices",
         *         "groupId": null
         *       },
         *       "cancelRequestedAt": null,
         *       "finishedAt": "2026-03-02T08:15:30.000Z"
         *     }
         */
        ConfigJob: {
            id: string;
            profileSlug: string;
            /** @enum {string} */
            status: "scheduled" | "running" | "succeeded" | "completed_with_failures" | "aborted" | "cancelled";
            /** @description Why the job was aborted; else null */
            reason: string | null;
            total: number;
            counts: {
                queued: number;
                waiting: number;
                sent: number;
                applied: number;
                failed: number;
                cancelled: number;
                superseded: number;
                timedOut: number;
            };
            /**
             * Format: date-time
             * @description Only of a job that was applied with startAt
             * @example 2026-03-02T08:15:30.000Z
             */
            startAt?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            deadlineAt: string;
            /**
             * Format: date-time
             * @description When a customer cancelled the job. A large job is running until the change is withdrawn from all its devices
             * @example 2026-03-02T08:15:30.000Z
             */
            cancelRequestedAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /** @description The key or the person whose request began the job; null: begun by a release that did not store it */
            createdBy: {
                /** @description null: a person or program without a key; name says who */
                keyId: string | null;
                name: string;
            } | null;
            /** @description The request that began the job; null: begun by a release that did not store it */
            origin: {
                /** @description The operationId */
                action: string;
                /**
                 * @description The devices that the request chose: all, a group, new members of a group, or devices by serial number
                 * @enum {string}
                 */
                scope: "all" | "group" | "members" | "devices";
                /** @description With the scope group or members; else null */
                groupId: string | null;
            } | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            finishedAt: string | null;
        };
        /**
         * @example {
         *       "measurementPeriodBase": 300,
         *       "measurementPeriodFactor": 1,
         *       "transmissionInterval": 21600,
         *       "alarmRules": [
         *         {
         *           "condition": "HIGH_THRESHOLD",
         *           "slotNumbers": [
         *             0
         *           ],
         *           "alarmRuleType": "TEMPERATURE",
         *           "threshold": 8,
         *           "hysteresis": 0.5,
         *           "mode": "CONSECUTIVE_SAMPLES",
         *           "samples": 1,
         *           "action": "TRIGGER_TRANSMISSION"
         *         },
         *         {
         *           "condition": "LOW_THRESHOLD",
         *           "slotNumbers": [
         *             0
         *           ],
         *           "alarmRuleType": "TEMPERATURE",
         *           "threshold": 2,
         *           "hysteresis": 0.5,
         *           "mode": "CONSECUTIVE_SAMPLES",
         *           "samples": 1,
         *           "action": "TRIGGER_TRANSMISSION"
         *         }
         *       ],
         *       "calendars": [],
         *       "configHash": 2748219
         *     }
         */
        ConfigReport: {
            /** @description Seconds; the measurement interval is base × factor */
            measurementPeriodBase: number;
            measurementPeriodFactor: number;
            /** @description Seconds */
            transmissionInterval: number;
            /** @description Position = rule number */
            alarmRules?: ({
                /** @enum {string} */
                condition: "HIGH_THRESHOLD" | "LOW_THRESHOLD";
                /** @description Counted from 0 */
                slotNumbers: number[];
                /** @enum {string} */
                alarmRuleType: "TEMPERATURE";
                /** @description °C */
                threshold: number;
                /** @description °C; 0 = off */
                hysteresis: number;
                /** @enum {string} */
                mode: "CONSECUTIVE_SAMPLES";
                samples: number;
                /** @enum {string} */
                action: "TRIGGER_TRANSMISSION" | "NO_ACTION" | "TRIGGER_TRANSMISSION_WITH_ACK" | "FAST_ADVERTISING";
            } | {
                /** @enum {string} */
                condition: "LOGIC_OPERATOR";
                /** @enum {string} */
                operator: "AND" | "OR";
                /** @description Counted from 0 */
                rules: number[];
                /** @description Counted from 0 */
                negatedRules: number[];
                delaySeconds: number;
                /** @description null = no action on return */
                returnDelaySeconds: number | null;
                /** @enum {string} */
                action: "TRIGGER_TRANSMISSION" | "NO_ACTION" | "TRIGGER_TRANSMISSION_WITH_ACK" | "FAST_ADVERTISING";
            } | {
                /**
                 * @description Set on the device by somebody else, and shown as the device has it
                 * @enum {string}
                 */
                condition: "OTHER";
                /** @description Counted from 0 */
                slotNumbers: number[];
                conditionCode: number;
                parameters: number[];
                actionCode: number;
            } | {
                /** @enum {string} */
                condition: "DISABLED";
                slotNumbers: number[];
                /** @enum {string} */
                action: "NO_ACTION";
            })[];
            calendars?: ({
                /** @enum {string} */
                type: "WEEK";
                /** @description Counted from 0 */
                enableRules: number[];
                /** @description 0 = Sunday */
                days: number[];
                /** @description Minutes after midnight */
                fromTime: number;
                /** @description Minutes after midnight; before fromTime = two windows of the same day, until toTime and from fromTime */
                toTime: number;
                /** @description Minutes from UTC */
                timezone: number;
            } | {
                /**
                 * @description Set on the device by somebody else, and shown as the device has it
                 * @enum {string}
                 */
                type: "OTHER";
                /** @description Counted from 0 */
                enableRules: number[];
                typeCode: number;
                parameters: number[];
            } | {
                /** @enum {string} */
                type: "DISABLED";
                enableRules: number[];
            })[];
            /** @description The device's own number for its configuration */
            configHash?: number;
            /** @description What the device could not take; newer than its fetch, they fail the change */
            errors?: {
                code?: number;
                message: string;
            }[];
            /**
             * Format: date-time
             * @description When the device made the report; without it, or where its clock is off, the arrival counts
             * @example 2026-03-02T08:15:30Z
             */
            reportedAt?: string;
        };
        /**
         * @example {
         *       "url": "https://example.com/hooks/loggers",
         *       "name": "Production",
         *       "deliverConfigApplied": true
         *     }
         */
        CreateCellularWebhook: {
            /**
             * Format: uri
             * @description Absolute http or https URL, without credentials or fragment, of a public host.
             * @example https://example.com/hooks/loggers
             */
            url: string;
            /**
             * @description Default: the host of the URL
             * @example Production
             */
            name?: string;
            /** @description Deliver config.applied as well. Default: false */
            deliverConfigApplied?: boolean;
            /**
             * @description Default: active
             * @enum {string}
             */
            status?: "active" | "disabled";
            /**
             * @description Signs deliveries: whsec_ and base64, or any other text. Never shown again.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret?: string;
        };
        /**
         * @example {
         *       "name": "Cold store, at night",
         *       "alertTypes": [
         *         "high_temp",
         *         "low_temp"
         *       ],
         *       "steps": [
         *         {
         *           "afterMinutes": 0,
         *           "channelIds": [
         *             "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48"
         *           ]
         *         },
         *         {
         *           "afterMinutes": 15,
         *           "channelIds": [
         *             "019cb0a4-d1e5-7f27-9c46-2a7b0e4d3c59"
         *           ]
         *         }
         *       ],
         *       "repeatMinutes": 30
         *     }
         */
        CreateEscalation: {
            /** @example Cold store, at night */
            name: string;
            /**
             * @description The types of alerts that it is for. Default: all
             * @example [
             *       "high_temp",
             *       "low_temp"
             *     ]
             */
            alertTypes?: ("high_temp" | "low_temp" | "no_data" | "low_battery" | "sensor_error")[];
            /**
             * @description The severities of alerts that it is for. Default: all
             * @example [
             *       "critical"
             *     ]
             */
            severities?: ("warning" | "critical")[];
            /** @description Only alerts of assets in these groups. Default: of all assets */
            groupIds?: string[];
            /** @description Made one after the other, until somebody acknowledges the alert or it is over. */
            steps: {
                /**
                 * @description Counted from when the alert was opened; 0: at once.
                 * @example 0
                 */
                afterMinutes: number;
                /** @description Notification channels; one that is disabled or unconfirmed by then is left out. */
                channelIds: string[];
            }[];
            /** @description The last step is repeated after so long, 10 times at most. Default: null, it is not */
            repeatMinutes?: number | null;
            /**
             * @description Default: active
             * @enum {string}
             */
            status?: "active" | "disabled";
        };
        /**
         * @example {
         *       "type": "webhook",
         *       "target": "https://example.com/hooks/notifications",
         *       "name": "Grace, on call",
         *       "alertTypes": [
         *         "high_temp",
         *         "low_temp"
         *       ],
         *       "delayMinutes": 10,
         *       "reminderMinutes": 120,
         *       "quietHours": {
         *         "from": "22:00",
         *         "to": "07:00",
         *         "timezone": "Europe/Stockholm"
         *       },
         *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
         *     }
         */
        CreateNotificationChannel: {
            /**
             * @description email, slack (or what understands the same JSON with text), webhook.
             * @enum {string}
             */
            type: "email" | "slack" | "webhook";
            /**
             * @description An e-mail address, or an absolute http or https URL of a public host, as for webhooks.
             * @example https://example.com/hooks/notifications
             */
            target: string;
            /**
             * @description Shown in place of the target. null: none. Several channels may share a name.
             * @example Grace, on call
             */
            name?: string | null;
            /**
             * @description The types of alerts to notify of. Default: all
             * @example [
             *       "high_temp",
             *       "low_temp"
             *     ]
             */
            alertTypes?: ("high_temp" | "low_temp" | "no_data" | "low_battery" | "sensor_error")[];
            /** @description Only alerts of assets in these groups. Default: of all assets */
            groupIds?: string[];
            /** @description Notify only of alerts still open after so long. Default: 0 */
            delayMinutes?: number;
            /** @description While an alert is open and not acknowledged, notify of it again each time so long has passed. null: once. */
            reminderMinutes?: number | null;
            /** @description Nothing but steps of escalations is sent between these times. What they held is sent when they end, if the alert is still open. null: none. */
            quietHours?: {
                /**
                 * @description Local time.
                 * @example 22:00
                 */
                from: string;
                /**
                 * @description When earlier than from, on the day after.
                 * @example 07:00
                 */
                to: string;
                /** @example Europe/Stockholm */
                timezone: string;
            } | null;
            /**
             * @description Default: active
             * @enum {string}
             */
            status?: "active" | "disabled";
            /**
             * @description Signs messages of type webhook, with 16 to 128 characters: whsec_ and base64, or any other text. Never shown again.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret?: string;
        };
        /**
         * @example {
         *       "name": "Ada Lovelace",
         *       "role": "write"
         *     }
         */
        CreateOperatorLink: {
            /** @description Of the person who signs in; the audit trail names them */
            name: string;
            /**
             * @description At most that of the key, which is also the default
             * @enum {string}
             */
            role?: "admin" | "write" | "read";
        };
        /**
         * @description With slug or name, and with at least one of temperatureAlerts, schedule and intervals.
         * @example {
         *       "name": "Vaccine fridge",
         *       "temperatureAlerts": [
         *         {
         *           "type": "range",
         *           "channel": "probe",
         *           "lowC": 2,
         *           "highC": 8,
         *           "hysteresisC": 0.5
         *         }
         *       ],
         *       "schedule": {
         *         "always": true
         *       },
         *       "intervals": {
         *         "measurementIntervalMinutes": 5,
         *         "transmissionIntervalSeconds": 14400
         *       }
         *     }
         */
        CreateProfile: {
            /**
             * @description Made from the name when left out.
             * @example vaccine-fridge
             */
            slug?: string;
            /**
             * @description The slug when left out.
             * @example Vaccine fridge 2–8 °C
             */
            name?: string;
            /** @description An empty list means none, and takes those of the device away. */
            temperatureAlerts?: components["schemas"]["TemperatureAlertInput"][];
            schedule?: components["schemas"]["Schedule"];
            intervals?: components["schemas"]["Intervals"];
        };
        /**
         * @example {
         *       "url": "https://example.com/hooks/alerts",
         *       "events": [
         *         "alert.created",
         *         "alert.resolved"
         *       ],
         *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
         *     }
         */
        CreateWebhook: {
            /**
             * Format: uri
             * @description Absolute http or https URL, without credentials or fragment, of a public host.
             * @example https://example.com/hooks/loggers
             */
            url: string;
            /**
             * @description Default: all kinds
             * @example [
             *       "data.measurement.alert",
             *       "alert.created"
             *     ]
             */
            events?: ("data.measurement.alert" | "alert.created" | "alert.acknowledged" | "alert.resolved" | "config.applied" | "config.failed" | "config.job.finished" | "device.offline" | "device.online" | "fleet.silent" | "webhook.disabled")[];
            /**
             * @description Default: active
             * @enum {string}
             */
            status?: "active" | "disabled";
            /**
             * @description Signs deliveries: whsec_ and base64, or any other text. Never shown again.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret?: string;
        };
        /**
         * @example {
         *       "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c28",
         *       "recType": "key",
         *       "name": "Facility team",
         *       "kind": "customer",
         *       "role": "write",
         *       "preview": "dms_live_3fZk…",
         *       "createdAt": "2026-02-20T13:05:12.000Z",
         *       "expiresAt": null,
         *       "lastUsedAt": null,
         *       "key": "dms_live_…"
         *     }
         */
        CreatedKey: {
            id: string;
            /** @enum {string} */
            recType: "key";
            name: string;
            /** @enum {string} */
            kind: "customer" | "device";
            /**
             * @description Null for device keys
             * @enum {string|null}
             */
            role: "admin" | "write" | "read" | null;
            /** @description The first characters of the key */
            preview: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Written once an hour at most: the last request came within an hour of it. Null: not used yet
             * @example 2026-03-02T08:15:30.000Z
             */
            lastUsedAt: string | null;
            /** @description The key itself: shown only this once */
            key: string;
        };
        /**
         * @example {
         *       "id": "019cb0a8-3344-7b1e-8d2a-4c6e8f0a1b2d",
         *       "eventId": "019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90",
         *       "eventType": "alert.created",
         *       "state": "delivered",
         *       "attemptCount": 2,
         *       "nextAttemptAt": null,
         *       "lastStatusCode": 204,
         *       "lastError": null,
         *       "createdAt": "2026-03-02T08:15:30.000Z",
         *       "lastAttemptAt": "2026-03-02T08:15:35.000Z",
         *       "deliveredAt": "2026-03-02T08:15:35.000Z",
         *       "serialNumber": "282C02424EED",
         *       "reason": null
         *     }
         */
        Delivery: {
            id: string;
            /** @description The webhook-id header, the same on every attempt */
            eventId: string;
            eventType: string;
            /** @enum {string} */
            state: "pending" | "delivered" | "retrying" | "held" | "failed" | "blocked" | "cancelled";
            attemptCount: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            nextAttemptAt: string | null;
            lastStatusCode: number | null;
            lastError: string | null;
            /**
             * Format: date-time
             * @description When the event was queued
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            lastAttemptAt: string | null;
            /**
             * Format: date-time
             * @description When the attempt that succeeded was made; null in any other state than delivered
             * @example 2026-03-02T08:15:30.000Z
             */
            deliveredAt: string | null;
            /** @description Of the device that the event is about, if it is about one */
            serialNumber: string | null;
            /** @description Why it is not delivered; null when it is, or is about to be sent */
            reason: string | null;
        };
        /**
         * @example {
         *       "id": "019cb0a8-3344-7b1e-8d2a-4c6e8f0a1b2d",
         *       "eventId": "019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90",
         *       "eventType": "alert.created",
         *       "state": "delivered",
         *       "attemptCount": 2,
         *       "nextAttemptAt": null,
         *       "lastStatusCode": 204,
         *       "lastError": null,
         *       "createdAt": "2026-03-02T08:15:30.000Z",
         *       "lastAttemptAt": "2026-03-02T08:15:35.000Z",
         *       "deliveredAt": "2026-03-02T08:15:35.000Z",
         *       "serialNumber": "282C02424EED",
         *       "reason": null,
         *       "payload": {
         *         "type": "alert.created",
         *         "timestamp": "2026-03-02T08:15:00.000Z",
         *         "data": {}
         *       },
         *       "attempts": [
         *         {
         *           "number": 1,
         *           "at": "2026-03-02T08:15:30.000Z",
         *           "durationMs": 41,
         *           "statusCode": 500,
         *           "error": "the receiver answered 500",
         *           "responseExcerpt": ""
         *         },
         *         {
         *           "number": 2,
         *           "at": "2026-03-02T08:15:35.000Z",
         *           "durationMs": 38,
         *           "statusCode": 204,
         *           "error": null,
         *           "responseExcerpt": ""
         *         }
         *       ]
         *     }
         */
        DeliveryDetail: {
            id: string;
            /** @description The webhook-id header, the same on every attempt */
            eventId: string;
            eventType: string;
            /** @enum {string} */
            state: "pending" | "delivered" | "retrying" | "held" | "failed" | "blocked" | "cancelled";
            attemptCount: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            nextAttemptAt: string | null;
            lastStatusCode: number | null;
            lastError: string | null;
            /**
             * Format: date-time
             * @description When the event was queued
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            lastAttemptAt: string | null;
            /**
             * Format: date-time
             * @description When the attempt that succeeded was made; null in any other state than delivered
             * @example 2026-03-02T08:15:30.000Z
             */
            deliveredAt: string | null;
            /** @description Of the device that the event is about, if it is about one */
            serialNumber: string | null;
            /** @description Why it is not delivered; null when it is, or is about to be sent */
            reason: string | null;
            /** @description What is sent, as JSON */
            payload: Record<string, never>;
            /** @description The newest 100, oldest first */
            attempts: {
                number: number;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, milliseconds
                 * @example 2026-03-02T08:15:30.000Z
                 */
                at: string;
                durationMs: number;
                statusCode: number | null;
                error: string | null;
                /** @description Escaped, at most 1 KiB of the answer */
                responseExcerpt: string | null;
            }[];
        };
        /**
         * @description What the device runs, as it reported last; null when it has never reported
         * @example {
         *       "measurementPeriodBase": 300,
         *       "measurementPeriodFactor": 1,
         *       "transmissionInterval": 21600,
         *       "alarmRules": [
         *         {
         *           "condition": "HIGH_THRESHOLD",
         *           "slotNumbers": [
         *             0
         *           ],
         *           "alarmRuleType": "TEMPERATURE",
         *           "threshold": 8,
         *           "hysteresis": 0.5,
         *           "mode": "CONSECUTIVE_SAMPLES",
         *           "samples": 1,
         *           "action": "TRIGGER_TRANSMISSION"
         *         },
         *         {
         *           "condition": "LOW_THRESHOLD",
         *           "slotNumbers": [
         *             0
         *           ],
         *           "alarmRuleType": "TEMPERATURE",
         *           "threshold": 2,
         *           "hysteresis": 0.5,
         *           "mode": "CONSECUTIVE_SAMPLES",
         *           "samples": 1,
         *           "action": "TRIGGER_TRANSMISSION"
         *         }
         *       ],
         *       "calendars": []
         *     }
         */
        DeviceConfiguration: {
            /** @description Seconds; the measurement interval is base × factor */
            measurementPeriodBase?: number;
            measurementPeriodFactor?: number;
            /** @description Seconds */
            transmissionInterval?: number;
            /** @description Position = rule number */
            alarmRules?: ({
                /** @enum {string} */
                condition: "HIGH_THRESHOLD" | "LOW_THRESHOLD";
                /** @description Counted from 0 */
                slotNumbers: number[];
                /** @enum {string} */
                alarmRuleType: "TEMPERATURE";
                /** @description °C */
                threshold: number;
                /** @description °C; 0 = off */
                hysteresis: number;
                /** @enum {string} */
                mode: "CONSECUTIVE_SAMPLES";
                samples: number;
                /** @enum {string} */
                action: "TRIGGER_TRANSMISSION" | "NO_ACTION" | "TRIGGER_TRANSMISSION_WITH_ACK" | "FAST_ADVERTISING";
            } | {
                /** @enum {string} */
                condition: "LOGIC_OPERATOR";
                /** @enum {string} */
                operator: "AND" | "OR";
                /** @description Counted from 0 */
                rules: number[];
                /** @description Counted from 0 */
                negatedRules: number[];
                delaySeconds: number;
                /** @description null = no action on return */
                returnDelaySeconds: number | null;
                /** @enum {string} */
                action: "TRIGGER_TRANSMISSION" | "NO_ACTION" | "TRIGGER_TRANSMISSION_WITH_ACK" | "FAST_ADVERTISING";
            } | {
                /**
                 * @description Set on the device by somebody else, and shown as the device has it
                 * @enum {string}
                 */
                condition: "OTHER";
                /** @description Counted from 0 */
                slotNumbers: number[];
                conditionCode: number;
                parameters: number[];
                actionCode: number;
            } | {
                /** @enum {string} */
                condition: "DISABLED";
                slotNumbers: number[];
                /** @enum {string} */
                action: "NO_ACTION";
            })[];
            calendars?: ({
                /** @enum {string} */
                type: "WEEK";
                /** @description Counted from 0 */
                enableRules: number[];
                /** @description 0 = Sunday */
                days: number[];
                /** @description Minutes after midnight */
                fromTime: number;
                /** @description Minutes after midnight; before fromTime = two windows of the same day, until toTime and from fromTime */
                toTime: number;
                /** @description Minutes from UTC */
                timezone: number;
            } | {
                /**
                 * @description Set on the device by somebody else, and shown as the device has it
                 * @enum {string}
                 */
                type: "OTHER";
                /** @description Counted from 0 */
                enableRules: number[];
                typeCode: number;
                parameters: number[];
            } | {
                /** @enum {string} */
                type: "DISABLED";
                enableRules: number[];
            })[];
        };
        /**
         * @example {
         *       "serialNumber": "282C02424EED",
         *       "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
         *       "assetName": "Vaccine fridge 2",
         *       "pendingConfig": {
         *         "transmissionInterval": 3600
         *       },
         *       "deviceConfig": {
         *         "measurementPeriodBase": 300,
         *         "measurementPeriodFactor": 1,
         *         "transmissionInterval": 21600,
         *         "alarmRules": [
         *           {
         *             "condition": "HIGH_THRESHOLD",
         *             "slotNumbers": [
         *               0
         *             ],
         *             "alarmRuleType": "TEMPERATURE",
         *             "threshold": 8,
         *             "hysteresis": 0.5,
         *             "mode": "CONSECUTIVE_SAMPLES",
         *             "samples": 1,
         *             "action": "TRIGGER_TRANSMISSION"
         *           },
         *           {
         *             "condition": "LOW_THRESHOLD",
         *             "slotNumbers": [
         *               0
         *             ],
         *             "alarmRuleType": "TEMPERATURE",
         *             "threshold": 2,
         *             "hysteresis": 0.5,
         *             "mode": "CONSECUTIVE_SAMPLES",
         *             "samples": 1,
         *             "action": "TRIGGER_TRANSMISSION"
         *           }
         *         ],
         *         "calendars": []
         *       },
         *       "deviceConfigReceivedAt": "2026-03-02T08:15:30.000Z",
         *       "syncStatus": "pending"
         *     }
         */
        DeviceConfigurationRecord: {
            serialNumber: string;
            assetId: string;
            assetName: string;
            pendingConfig: components["schemas"]["DeviceConfiguration"] | null;
            deviceConfig: components["schemas"]["DeviceConfiguration"] | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            deviceConfigReceivedAt: string | null;
            /**
             * @description pending: not fetched yet; sent: fetched, not confirmed; failed: the device refused; drifted: it reports something else than it confirmed last
             * @enum {string}
             */
            syncStatus: "no_device_report" | "pending" | "sent" | "failed" | "applied" | "drifted";
            /** @description Settings of the applied change that no report of the device has named; left out when there are none */
            unconfirmedKeys?: ("measurementPeriodBase" | "measurementPeriodFactor" | "transmissionInterval" | "alarmRules" | "calendars")[];
        };
        /**
         * @example {
         *       "success": false,
         *       "message": "serialNumber is required"
         *     }
         */
        Error: {
            /** @enum {boolean} */
            success: false;
            /** @description Says what is wrong and what would be right. */
            message: string;
        };
        /**
         * @example {
         *       "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
         *       "recType": "escalation",
         *       "name": "Cold store, at night",
         *       "alertTypes": [
         *         "high_temp",
         *         "low_temp"
         *       ],
         *       "severities": [
         *         "critical"
         *       ],
         *       "groupIds": [],
         *       "steps": [
         *         {
         *           "afterMinutes": 0,
         *           "channelIds": [
         *             "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48"
         *           ]
         *         },
         *         {
         *           "afterMinutes": 15,
         *           "channelIds": [
         *             "019cb0a4-d1e5-7f27-9c46-2a7b0e4d3c59"
         *           ]
         *         }
         *       ],
         *       "repeatMinutes": 30,
         *       "status": "active",
         *       "createdAt": "2026-02-20T13:05:12.000Z",
         *       "updatedAt": "2026-02-20T13:05:12.000Z"
         *     }
         */
        Escalation: {
            id: string;
            /** @enum {string} */
            recType: "escalation";
            name: string;
            /**
             * @description The types of alerts that it is for.
             * @example [
             *       "high_temp",
             *       "low_temp"
             *     ]
             */
            alertTypes: ("high_temp" | "low_temp" | "no_data" | "low_battery" | "sensor_error")[];
            /**
             * @description The severities of alerts that it is for.
             * @example [
             *       "critical"
             *     ]
             */
            severities: ("warning" | "critical")[];
            /** @description Only alerts of assets in these groups; empty: of all assets. One that is deleted later matches nothing. */
            groupIds: string[];
            /** @description Made one after the other, until somebody acknowledges the alert or it is over. */
            steps: {
                /**
                 * @description Counted from when the alert was opened; 0: at once.
                 * @example 0
                 */
                afterMinutes: number;
                /** @description Notification channels; one that is disabled or unconfirmed by then is left out. */
                channelIds: string[];
            }[];
            /** @description The last step is repeated after so long, 10 times at most. null: it is not. */
            repeatMinutes: number | null;
            /**
             * @description Disabling one ends the escalations that are under way.
             * @enum {string}
             */
            status: "active" | "disabled";
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            updatedAt: string;
        };
        /**
         * @example {
         *       "recType": "fleet",
         *       "status": {
         *         "new": 2,
         *         "online": 176,
         *         "offline": 2
         *       },
         *       "syncStatus": {
         *         "no_device_report": 2,
         *         "pending": 4,
         *         "sent": 0,
         *         "failed": 1,
         *         "applied": 172,
         *         "drifted": 1
         *       },
         *       "noProfile": 3,
         *       "batteryStatus": {
         *         "ok": 170,
         *         "low": 8,
         *         "unknown": 2
         *       },
         *       "openAlerts": {
         *         "high_temp": 1,
         *         "low_temp": 0,
         *         "no_data": 2,
         *         "low_battery": 8,
         *         "sensor_error": 0
         *       },
         *       "endpoints": {
         *         "healthy": 2,
         *         "failing": 0,
         *         "recovering": 0,
         *         "disabled": 1
         *       },
         *       "unregisteredDevices": 0
         *     }
         */
        Fleet: {
            /** @enum {string} */
            recType: "fleet";
            /** @description Active devices by status */
            status: {
                new: number;
                online: number;
                offline: number;
            };
            /** @description Active devices by sync state */
            syncStatus: {
                no_device_report: number;
                pending: number;
                sent: number;
                failed: number;
                applied: number;
                drifted: number;
            };
            /** @description Active devices without a pending profile that have never confirmed one, whatever their sync state is */
            noProfile: number;
            /** @description Active devices by battery */
            batteryStatus: {
                ok: number;
                low: number;
                unknown: number;
            };
            /** @description New and acknowledged alerts by type */
            openAlerts: {
                high_temp: number;
                low_temp: number;
                no_data: number;
                low_battery: number;
                sensor_error: number;
            };
            /** @description Webhooks of both collections by health */
            endpoints: {
                healthy: number;
                failing: number;
                recovering: number;
                disabled: number;
            };
            /** @description Serial numbers that sent and are not registered */
            unregisteredDevices: number;
        };
        /**
         * @example {
         *       "id": "019cb0a5-9f31-7d02-a6c4-58e1b7d2f093",
         *       "recType": "group",
         *       "name": "Vaccine fridges",
         *       "profileSlug": "vaccine-fridge",
         *       "memberCount": 12,
         *       "mute": null,
         *       "createdAt": "2026-02-20T13:05:12.000Z",
         *       "updatedAt": "2026-03-02T08:15:30.000Z"
         *     }
         */
        Group: {
            id: string;
            /** @enum {string} */
            recType: "group";
            name: string;
            /** @description The profile that members are to run */
            profileSlug: string | null;
            memberCount: number;
            mute: components["schemas"]["Mute"] | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            updatedAt: string;
        };
        /**
         * @example {
         *       "serialNumber": "282C02424EED",
         *       "name": "Vaccine fridge 2",
         *       "group": "Vaccine fridges"
         *     }
         */
        ImportedAsset: {
            /**
             * @description 12 hexadecimal digits on all known loggers; unique among active assets, compared without case
             * @example 282C02424EED
             */
            serialNumber: string;
            /** @description Default: the serial number */
            name?: string;
            waterType?: string;
            floor?: number;
            /** @description Sensor product line */
            model?: string;
            /** @description In the customer's own system */
            buildingId?: string;
            /** @description In the customer's own system */
            spaceId?: string;
            /** @description The group that the device is in; it is in one at most */
            groupId?: string;
            /** @description Name of the group that the device is in, in place of groupId; compared without case */
            group?: string;
        };
        /** @description How often to measure and to send; what is not set stays as it is on the device. */
        Intervals: {
            /**
             * @description Minutes.
             * @example 5
             */
            measurementIntervalMinutes?: number;
            /**
             * @description Seconds; at least the measurement interval.
             * @example 14400
             */
            transmissionIntervalSeconds?: number;
        };
        /**
         * @example {
         *       "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
         *       "serialNumber": "282C02424EED",
         *       "state": "sent",
         *       "reason": null,
         *       "updatedAt": "2026-03-02T08:15:30.000Z"
         *     }
         */
        JobTarget: {
            assetId: string;
            serialNumber: string;
            /** @enum {string} */
            state: "queued" | "waiting" | "sent" | "applied" | "failed" | "cancelled" | "superseded" | "timed_out";
            reason: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            updatedAt: string;
        };
        /**
         * @example {
         *       "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c28",
         *       "recType": "key",
         *       "name": "Facility team",
         *       "kind": "customer",
         *       "role": "write",
         *       "preview": "dms_live_3fZk…",
         *       "createdAt": "2026-02-20T13:05:12.000Z",
         *       "expiresAt": null,
         *       "lastUsedAt": "2026-02-27T09:41:07.000Z"
         *     }
         */
        Key: {
            id: string;
            /** @enum {string} */
            recType: "key";
            name: string;
            /** @enum {string} */
            kind: "customer" | "device";
            /**
             * @description Null for device keys
             * @enum {string|null}
             */
            role: "admin" | "write" | "read" | null;
            /** @description The first characters of the key */
            preview: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Written once an hour at most: the last request came within an hour of it. Null: not used yet
             * @example 2026-03-02T08:15:30.000Z
             */
            lastUsedAt: string | null;
        };
        LatestReading: {
            channel: number;
            /** @enum {string|null} */
            position: "probe" | "ambient" | null;
            type: string;
            value: number | null;
            unit: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            measuredAt: string;
            /** @description The error code of the sensor, where there is no value */
            error?: number;
        };
        /**
         * @example {
         *       "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
         *       "recType": "asset",
         *       "name": "Vaccine fridge 2",
         *       "serialNumber": "282C02424EED",
         *       "status": "online",
         *       "signalStrength": "good",
         *       "batteryStatus": "ok",
         *       "model": "TVO-THT",
         *       "lastReadingAt": "2026-03-02T08:15:00.000Z",
         *       "waterType": null,
         *       "floor": 0,
         *       "buildingId": "main",
         *       "spaceId": "pharmacy",
         *       "createdAt": "2026-02-20T13:05:12.000Z",
         *       "groupId": "019cb0a5-9f31-7d02-a6c4-58e1b7d2f093",
         *       "syncStatus": "applied",
         *       "openAlerts": 0,
         *       "mute": null,
         *       "latest": [
         *         {
         *           "channel": 1,
         *           "position": "probe",
         *           "type": "temperature",
         *           "value": 4.2,
         *           "unit": "°C",
         *           "measuredAt": "2026-03-02T08:15:00.000Z"
         *         }
         *       ]
         *     }
         */
        ListedAsset: {
            id: string;
            /** @enum {string} */
            recType: "asset";
            name: string;
            serialNumber: string;
            /**
             * @description new: no contact yet; offline: an expected contact was missed
             * @enum {string}
             */
            status: "new" | "online" | "offline" | "archived";
            /** @enum {string} */
            signalStrength: "good" | "fair" | "poor" | "unknown";
            /** @enum {string} */
            batteryStatus: "ok" | "low" | "unknown";
            model: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            lastReadingAt: string | null;
            waterType: string | null;
            floor: number | null;
            buildingId: string | null;
            spaceId: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /** @description null when the device is in no group */
            groupId: string | null;
            /**
             * @description As in the configuration of the device
             * @enum {string}
             */
            syncStatus: "no_device_report" | "pending" | "sent" | "failed" | "applied" | "drifted";
            /** @description How many alerts are new or acknowledged */
            openAlerts: number;
            mute: components["schemas"]["Mute"] | null;
            /** @description The newest sample of each channel; samples that came late replace none that came in time */
            latest: components["schemas"]["LatestReading"][];
        };
        /**
         * @example {
         *       "channel": 1,
         *       "position": "probe",
         *       "type": "temperature",
         *       "value": 4.2,
         *       "unit": "°C",
         *       "measuredAt": "2026-03-02T08:15:00.000Z",
         *       "receivedAt": "2026-03-02T08:15:30.000Z",
         *       "late": false
         *     }
         */
        Measurement: {
            channel: number;
            /** @enum {string|null} */
            position: "probe" | "ambient" | null;
            type: string;
            /** @description In its unit; null where the sensor failed */
            value: number | null;
            unit: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            measuredAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            receivedAt: string;
            /** @description It came too late to open or close an alert */
            late: boolean;
            /** @description The error code of the sensor, where there is no value */
            error?: number;
        };
        /**
         * @example {
         *       "channel": 1,
         *       "position": "probe",
         *       "type": "temperature",
         *       "unit": "°C",
         *       "from": "2026-03-02T08:00:00.000Z",
         *       "min": 3.9,
         *       "avg": 4.15,
         *       "max": 4.4,
         *       "count": 12
         *     }
         */
        MeasurementBucket: {
            channel: number;
            /** @enum {string|null} */
            position: "probe" | "ambient" | null;
            type: string;
            unit: string;
            /**
             * Format: date-time
             * @description The start of the bucket
             * @example 2026-03-02T08:15:30.000Z
             */
            from: string;
            min: number;
            /** @description Of the readings, not weighted by time */
            avg: number;
            max: number;
            /** @description Readings with a value; sensor errors do not count */
            count: number;
        };
        /**
         * @description Nobody is notified between its times. The one that runs, otherwise the one that begins first; null: none
         * @example {
         *       "from": "2026-03-02T08:00:00.000Z",
         *       "until": "2026-03-02T10:00:00.000Z",
         *       "reason": "Defrosting",
         *       "by": {
         *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
         *         "name": "Kitchen"
         *       },
         *       "groupId": null
         *     }
         */
        Mute: {
            /**
             * Format: date-time
             * @description When it begins; in the future: it is planned
             * @example 2026-03-02T08:15:30.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            until: string;
            reason: string;
            /** @description The key or the person who muted */
            by: {
                /** @description null: a person or program without a key; name says who */
                keyId: string | null;
                name: string;
            };
            /** @description The group that is muted; null: the asset alone */
            groupId: string | null;
        };
        /**
         * @example {
         *       "id": "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48",
         *       "recType": "notification-channel",
         *       "type": "email",
         *       "name": "Quality",
         *       "target": "quality@example.com",
         *       "alertTypes": [
         *         "high_temp",
         *         "low_temp"
         *       ],
         *       "groupIds": [],
         *       "delayMinutes": 10,
         *       "reminderMinutes": 120,
         *       "quietHours": {
         *         "from": "22:00",
         *         "to": "07:00",
         *         "timezone": "Europe/Stockholm"
         *       },
         *       "status": "active",
         *       "lastSentAt": "2026-03-02T08:25:31.000Z",
         *       "lastError": null,
         *       "createdAt": "2026-02-20T13:05:12.000Z",
         *       "updatedAt": "2026-02-20T13:05:12.000Z"
         *     }
         */
        NotificationChannel: {
            id: string;
            /** @enum {string} */
            recType: "notification-channel";
            /**
             * @description email, slack (or what understands the same JSON with text), webhook.
             * @enum {string}
             */
            type: "email" | "slack" | "webhook";
            /**
             * @description Shown in place of the target. null: none. Several channels may share a name.
             * @example Grace, on call
             */
            name: string | null;
            /**
             * @description Of Slack its host alone: the rest is a secret.
             * @example https://example.com/hooks/notifications
             */
            target: string;
            /**
             * @description The types of alerts to notify of.
             * @example [
             *       "high_temp",
             *       "low_temp"
             *     ]
             */
            alertTypes: ("high_temp" | "low_temp" | "no_data" | "low_battery" | "sensor_error")[];
            /** @description Only alerts of assets in these groups; empty: of all assets. One that is deleted later matches nothing. */
            groupIds: string[];
            /** @description Notify only of alerts that are still open after so long. */
            delayMinutes: number;
            /** @description While an alert is open and not acknowledged, notify of it again each time so long has passed. null: once. */
            reminderMinutes: number | null;
            /** @description Nothing but steps of escalations is sent between these times. What they held is sent when they end, if the alert is still open. null: none. */
            quietHours: {
                /**
                 * @description Local time.
                 * @example 22:00
                 */
                from: string;
                /**
                 * @description When earlier than from, on the day after.
                 * @example 07:00
                 */
                to: string;
                /** @example Europe/Stockholm */
                timezone: string;
            } | null;
            /**
             * @description unconfirmed: an e-mail address whose owner has not yet pressed the button behind the link that was sent there.
             * @enum {string}
             */
            status: "active" | "disabled" | "unconfirmed";
            /**
             * Format: date-time
             * @description When a message was last sent.
             * @example 2026-03-02T08:15:30.000Z
             */
            lastSentAt: string | null;
            /** @description Why the latest attempt failed, if it did. */
            lastError: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            updatedAt: string;
        };
        /**
         * @description What the device has to apply; handing it out counts as fetched
         * @example {
         *       "revision": 3,
         *       "config": {
         *         "transmissionInterval": 3600
         *       }
         *     }
         */
        OfferedChange: {
            /** @description Grows with every change of what is pending */
            revision: number;
            config: components["schemas"]["DeviceConfiguration"];
        };
        /**
         * @example {
         *       "id": "019cb0a7-2c64-7a1b-8f0c-2a2b5f0f7d11",
         *       "recType": "operator-session",
         *       "name": "Ada Lovelace",
         *       "role": "write",
         *       "keyId": null,
         *       "startedAt": "2026-03-02T08:15:30.000Z",
         *       "expiresAt": "2026-03-02T20:15:30.000Z"
         *     }
         */
        OperatorSession: {
            id: string;
            /** @enum {string} */
            recType: "operator-session";
            /** @description Of the person */
            name: string;
            /** @enum {string} */
            role: "admin" | "write" | "read";
            /** @description The key that asked for the link; null: the command line, an identity provider, or a person without a key */
            keyId: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            startedAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            expiresAt: string;
        };
        Preview: {
            config: components["schemas"]["DeviceConfiguration"];
            deviceCount: number;
            warnings: string[];
            /** @description Devices that run it already, or are offered it */
            unchangedCount: number;
            /** @description Other devices by the settings that change, the most first; at most 20 entries */
            changes: components["schemas"]["PreviewedChange"][];
        };
        PreviewedChange: {
            deviceCount: number;
            settings: components["schemas"]["ChangedSetting"][];
        };
        /**
         * @example {
         *       "slug": "vaccine-fridge",
         *       "name": "Vaccine fridge",
         *       "schedule": {
         *         "always": true
         *       },
         *       "temperatureAlerts": [
         *         {
         *           "type": "range",
         *           "channel": "probe",
         *           "lowC": 2,
         *           "highC": 8,
         *           "hysteresisC": 0.5,
         *           "transmitOnBreach": true,
         *           "transmitOnReturn": true
         *         }
         *       ]
         *     }
         */
        Profile: {
            /**
             * @description Identifies the profile in paths.
             * @example vaccine-fridge
             */
            slug: string;
            /**
             * @description For people.
             * @example Vaccine fridge 2–8 °C
             */
            name: string;
            schedule: components["schemas"]["Schedule"];
            temperatureAlerts: components["schemas"]["TemperatureAlert"][];
        };
        /**
         * @example {
         *       "slug": "vaccine-fridge",
         *       "name": "Vaccine fridge",
         *       "schedule": {
         *         "always": true
         *       },
         *       "temperatureAlerts": [
         *         {
         *           "type": "range",
         *           "channel": "probe",
         *           "lowC": 2,
         *           "highC": 8,
         *           "hysteresisC": 0.5,
         *           "transmitOnBreach": true,
         *           "transmitOnReturn": true,
         *           "minC": 2,
         *           "maxC": 8
         *         }
         *       ],
         *       "measurementIntervalMinutes": 5,
         *       "transmissionIntervalSeconds": 14400
         *     }
         */
        ProfileDetail: {
            /**
             * @description Identifies the profile in paths.
             * @example vaccine-fridge
             */
            slug: string;
            /**
             * @description For people.
             * @example Vaccine fridge 2–8 °C
             */
            name: string;
            schedule: components["schemas"]["Schedule"];
            temperatureAlerts: components["schemas"]["TemperatureAlertDetail"][];
            /**
             * @description Minutes.
             * @example 5
             */
            measurementIntervalMinutes: number | null;
            /**
             * @description Seconds; at least the measurement interval.
             * @example 14400
             */
            transmissionIntervalSeconds: number | null;
        };
        /**
         * @example {
         *       "serialNumber": "282C02424EED",
         *       "name": "Vaccine fridge 2",
         *       "waterType": "automatic",
         *       "floor": 0,
         *       "model": "TVO-THT",
         *       "buildingId": "main",
         *       "spaceId": "pharmacy"
         *     }
         */
        RegisterAsset: {
            /**
             * @description 12 hexadecimal digits on all known loggers; unique among active assets, compared without case
             * @example 282C02424EED
             */
            serialNumber: string;
            /** @description Default: the serial number */
            name?: string;
            waterType?: string;
            floor?: number;
            /** @description Sensor product line */
            model?: string;
            /** @description In the customer's own system */
            buildingId?: string;
            /** @description In the customer's own system */
            spaceId?: string;
            /** @description The group that the device is in; it is in one at most */
            groupId?: string;
        };
        Rollout: {
            /** @description Share of the devices that go first */
            firstPercent: number;
            /** @description Share of these that must apply it before the rest begins. Default: 100 */
            minAppliedPercent?: number;
            /** @description Share of refusals that ends the job. Default: 100 */
            abortFailedPercent?: number;
        };
        /** @description When the alerts are on. With always false all other fields are required, else none is allowed. */
        Schedule: {
            always: boolean;
            /**
             * @description Days on which the window opens.
             * @example [
             *       "monday",
             *       "tuesday",
             *       "wednesday",
             *       "thursday",
             *       "friday"
             *     ]
             */
            days?: ("sunday" | "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday")[];
            /**
             * @description Local time at which the window opens.
             * @example 08:00
             */
            from?: string;
            /**
             * @description Local time at which it closes; when earlier than from, on the day after. From 00:00 to 24:00 is the whole day.
             * @example 18:00
             */
            to?: string;
            /**
             * @description IANA time zone of from, to and days.
             * @example Europe/Stockholm
             */
            timezone?: string;
        };
        /**
         * @example {
         *       "readings": [
         *         {
         *           "channel": "probe",
         *           "type": "temperature",
         *           "value": 4.2,
         *           "measuredAt": "2026-03-02T08:15:00Z"
         *         },
         *         {
         *           "channel": 2,
         *           "type": "humidity",
         *           "value": 41,
         *           "measuredAt": "2026-03-02T08:15:00Z"
         *         }
         *       ],
         *       "batteryStatus": "ok",
         *       "signal": 40
         *     }
         */
        SentMeasurements: {
            readings: {
                /** @description A position stands for the temperature channel that the device has there */
                channel: number | ("probe" | "ambient");
                /** @enum {string} */
                type: "temperature" | "humidity" | "atmospheric_pressure" | "differential_pressure" | "ok_alarm" | "iaq" | "flooding" | "pulse_count" | "electricity_meter" | "water_meter" | "soil_moisture" | "co" | "no2" | "h2s" | "ambient_light" | "pm_1_0" | "pm_2_5" | "pm_10_0" | "noise_level" | "nh3" | "ch4" | "high_pressure" | "distance" | "water_meter_minor" | "water_meter_major" | "co2" | "humidity_accurate" | "static_iaq" | "co2_equivalent" | "breath_voc" | "percentage" | "voltage" | "current" | "pulse_count_minor" | "pulse_count_major" | "electricity_meter_minor" | "electricity_meter_major" | "pulse_count_wide_minor" | "pulse_count_wide_major" | "current_precise" | "output_control" | "resistance";
                /** @description In the unit of the type, within its range */
                value: number;
                /**
                 * Format: date-time
                 * @description With a zone, from 2015 to a day ahead; what lies outside is dropped
                 */
                measuredAt: string;
            }[];
            /** @enum {string} */
            batteryStatus?: "ok" | "low";
            /** @description dBm = -110 + signal; 0 and 99 = unknown */
            signal?: number;
            /** @description The device's own number for its configuration */
            configHash?: number;
            /**
             * Format: date-time
             * @description When the device means to speak next
             * @example 2026-03-02T08:15:30Z
             */
            nextTransmissionAt?: string;
        };
        /**
         * @example {
         *       "from": "2026-03-02T08:15:30.000Z",
         *       "to": null,
         *       "measurementPeriodSeconds": 300,
         *       "transmissionIntervalSeconds": 3600,
         *       "alerts": [
         *         {
         *           "channel": 1,
         *           "type": "range",
         *           "lowC": 2,
         *           "highC": 8,
         *           "hysteresisC": 0.5,
         *           "severity": "critical",
         *           "schedule": {
         *             "always": true
         *           }
         *         }
         *       ],
         *       "profileSlug": "vaccine-fridge",
         *       "source": "confirmed"
         *     }
         */
        SettingsInForce: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description Not included; null: these settings are in force
             * @example 2026-03-02T08:15:30.000Z
             */
            to: string | null;
            /** @description Between two readings; null: unknown */
            measurementPeriodSeconds: number | null;
            /** @description Between two transmissions; null: unknown */
            transmissionIntervalSeconds: number | null;
            /** @description The bounds by which the service evaluated readings */
            alerts: {
                channel: number;
                /** @enum {string} */
                type: "range" | "high" | "low";
                /** @description °C; null where there is none */
                lowC: number | null;
                /** @description °C; null where there is none */
                highC: number | null;
                hysteresisC: number;
                /** @enum {string} */
                severity: "warning" | "critical";
                schedule: {
                    always: boolean;
                    /** @description Unless always */
                    windows?: {
                        days: string[];
                        from: string;
                        /** @description Where it is before from, the window is until then and from from */
                        to: string;
                        utcOffsetMinutes: number;
                    }[];
                };
            }[];
            /** @description The profile that was applied last; null where no profile brought these settings */
            profileSlug: string | null;
            /**
             * @description report: the device reported them; confirmed: it confirmed a change; frame: a frame showed another period of measurement; applied: they were applied to a device that had not reported yet
             * @enum {string}
             */
            source: "report" | "confirmed" | "frame" | "applied";
        };
        /**
         * @example {
         *       "channels": [
         *         {
         *           "channel": 1,
         *           "position": "probe",
         *           "type": "temperature",
         *           "unit": "°C",
         *           "count": 279,
         *           "min": 3.1,
         *           "max": 8.4,
         *           "avg": 4.6,
         *           "meanKineticTemperature": 4.7,
         *           "alerts": [
         *             {
         *               "type": "range",
         *               "lowC": 2,
         *               "highC": 8,
         *               "severity": "critical",
         *               "from": "2026-03-02T00:00:00.000Z",
         *               "to": "2026-03-03T00:00:00.000Z",
         *               "secondsOutside": 600
         *             }
         *           ],
         *           "withoutBounds": [],
         *           "readings": 279,
         *           "expectedReadings": 288,
         *           "expectedFrom": "2026-03-02T00:00:00.000Z",
         *           "completenessPercent": 96.88,
         *           "gaps": [
         *             {
         *               "from": "2026-03-02T08:25:00.000Z",
         *               "to": "2026-03-02T09:15:00.000Z"
         *             }
         *           ],
         *           "gapCount": 1
         *         }
         *       ],
         *       "mutedSpans": [
         *         {
         *           "from": "2026-03-02T09:00:00.000Z",
         *           "to": "2026-03-02T10:00:00.000Z",
         *           "reason": "Defrosting"
         *         }
         *       ]
         *     }
         */
        Statistics: {
            channels: {
                channel: number;
                /** @enum {string|null} */
                position: "probe" | "ambient" | null;
                type: string;
                unit: string;
                /** @description Samples; sensor errors are none */
                count: number;
                /** @description Null without a sample */
                min: number | null;
                /** @description Null without a sample */
                max: number | null;
                /** @description Of the samples, unweighted; null without a sample */
                avg: number | null;
                /** @description °C, of the samples, unweighted; activation energy 83.144 kJ/mol. Null for what is no temperature */
                meanKineticTemperature: number | null;
                /** @description One for each time that bounds were in force, cut to the span, oldest first */
                alerts: {
                    /** @enum {string} */
                    type: "range" | "high" | "low";
                    /** @description °C; null where there is none */
                    lowC: number | null;
                    /** @description °C; null where there is none */
                    highC: number | null;
                    /** @enum {string} */
                    severity: "warning" | "critical";
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC, milliseconds
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    from: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC, milliseconds
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    to: string;
                    /** @description Whatever the schedule of the alert */
                    secondsOutside: number;
                }[];
                /** @description Temperatures: since the first reading, the times in which no bounds were in force */
                withoutBounds: {
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC, milliseconds
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    from: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC, milliseconds
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    to: string;
                }[];
                /** @description Samples and sensor errors */
                readings: number;
                /** @description Since expectedFrom, by the periods of measurement in force; null: unknown */
                expectedReadings: number | null;
                /**
                 * Format: date-time
                 * @description The first reading in the span, or the beginning of the span where there was one before
                 * @example 2026-03-02T08:15:30.000Z
                 */
                expectedFrom: string;
                /** @description readings of expectedReadings, at most 100; two decimals */
                completenessPercent: number | null;
                /** @description Oldest first, the newest 1000 of them. A gap begins two periods of measurement after a reading */
                gaps: {
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC, milliseconds
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    from: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC, milliseconds
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    to: string;
                }[];
                gapCount: number;
            }[];
            /** @description Times of maintenance of the device or its group, cut to the span, oldest first, the latest 500 */
            mutedSpans: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, milliseconds
                 * @example 2026-03-02T08:15:30.000Z
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, milliseconds
                 * @example 2026-03-02T08:15:30.000Z
                 */
                to: string;
                reason: string;
            }[];
        };
        TemperatureAlert: {
            /**
             * @description range has lowC and highC, high only highC, low only lowC.
             * @enum {string}
             */
            type: "range" | "high" | "low";
            /**
             * @description Of a device with one temperature channel both mean that one.
             * @enum {string}
             */
            channel: "probe" | "ambient";
            /**
             * @description °C; below it is a breach.
             * @example 2
             */
            lowC?: number;
            /**
             * @description °C; above it is a breach.
             * @example 8
             */
            highC?: number;
            /**
             * @description Minutes that a breach lasts, by the times of readings, before the alert opens; left out: 0.
             * @example 30
             */
            delayMinutes?: number;
            /**
             * @description Of the alerts that it opens; left out: critical.
             * @example warning
             * @enum {string}
             */
            severity?: "warning" | "critical";
            /**
             * @description °C back inside the breached bound before it counts as a return: 0, or 0.1 to highC - lowC (one bound: 100).
             * @example 0.5
             */
            hysteresisC: number;
            /** @description Send at once when a bound is breached. */
            transmitOnBreach: boolean;
            /** @description Send at once when the temperature is back. */
            transmitOnReturn: boolean;
        };
        TemperatureAlertDetail: {
            /**
             * @description range has lowC and highC, high only highC, low only lowC.
             * @enum {string}
             */
            type: "range" | "high" | "low";
            /**
             * @description Of a device with one temperature channel both mean that one.
             * @enum {string}
             */
            channel: "probe" | "ambient";
            /**
             * @description °C; below it is a breach.
             * @example 2
             */
            lowC?: number;
            /**
             * @description °C; above it is a breach.
             * @example 8
             */
            highC?: number;
            /**
             * @description Minutes that a breach lasts, by the times of readings, before the alert opens; left out: 0.
             * @example 30
             */
            delayMinutes?: number;
            /**
             * @description Of the alerts that it opens; left out: critical.
             * @example warning
             * @enum {string}
             */
            severity?: "warning" | "critical";
            /**
             * @description °C back inside the breached bound before it counts as a return: 0, or 0.1 to highC - lowC (one bound: 100).
             * @example 0.5
             */
            hysteresisC: number;
            /** @description Send at once when a bound is breached. */
            transmitOnBreach: boolean;
            /** @description Send at once when the temperature is back. */
            transmitOnReturn: boolean;
            /**
             * @description lowC as the device enforces it, in steps of 0.1 °C.
             * @example 2
             */
            minC: number | null;
            /**
             * @description highC as the device enforces it, in steps of 0.1 °C.
             * @example 8
             */
            maxC: number | null;
        };
        TemperatureAlertInput: {
            /**
             * @description range has lowC and highC, high only highC, low only lowC.
             * @enum {string}
             */
            type: "range" | "high" | "low";
            /**
             * @description Of a device with one temperature channel both mean that one.
             * @enum {string}
             */
            channel: "probe" | "ambient";
            /**
             * @description °C; below it is a breach.
             * @example 2
             */
            lowC?: number;
            /**
             * @description °C; above it is a breach.
             * @example 8
             */
            highC?: number;
            /**
             * @description Minutes that a breach lasts, by the times of readings, before the alert opens; left out: 0.
             * @example 30
             */
            delayMinutes?: number;
            /**
             * @description Of the alerts that it opens; left out: critical.
             * @example warning
             * @enum {string}
             */
            severity?: "warning" | "critical";
            /**
             * @description °C back inside the breached bound before it counts as a return: 0, or 0.1 to highC - lowC (one bound: 100). Default: 0
             * @example 0.5
             */
            hysteresisC?: number;
            /** @description Send at once when a bound is breached. Default: true */
            transmitOnBreach?: boolean;
            /** @description Send at once when the temperature is back. Default: true */
            transmitOnReturn?: boolean;
        };
        /**
         * @example {
         *       "recType": "unregistered-device",
         *       "serialNumber": "282c02424eed",
         *       "firstSeenAt": "2026-03-01T08:15:30.000Z",
         *       "lastSeenAt": "2026-03-02T08:15:30.000Z",
         *       "count": 24
         *     }
         */
        UnregisteredDevice: {
            /** @enum {string} */
            recType: "unregistered-device";
            /** @description In lower case */
            serialNumber: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            firstSeenAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            lastSeenAt: string;
            /** @description Contacts so far */
            count: number;
        };
        /**
         * @description What is left out stays; an array or object replaces the old one whole.
         * @example {
         *       "intervals": {
         *         "transmissionIntervalSeconds": 3600
         *       }
         *     }
         */
        UpdateProfile: {
            /**
             * @description If given, the one in the path.
             * @example vaccine-fridge
             */
            slug?: string;
            /**
             * @description For people.
             * @example Vaccine fridge 2–8 °C
             */
            name?: string;
            /** @description An empty list means none, and takes those of the device away. */
            temperatureAlerts?: components["schemas"]["TemperatureAlertInput"][];
            schedule?: components["schemas"]["Schedule"];
            intervals?: components["schemas"]["Intervals"];
        };
        /**
         * @example {
         *       "id": "019cb0a4-b172-7c05-9e4f-0a6b8d2c1e35",
         *       "recType": "webhook",
         *       "url": "https://example.com/hooks/alerts",
         *       "status": "active",
         *       "disabledReason": null,
         *       "events": [
         *         "alert.created",
         *         "alert.resolved"
         *       ],
         *       "createdAt": "2026-02-20T13:05:12.000Z",
         *       "updatedAt": "2026-02-20T13:05:12.000Z",
         *       "delivery": {
         *         "lastDeliveredAt": "2026-03-02T08:15:30.000Z",
         *         "lastAttemptAt": "2026-03-02T08:15:30.000Z",
         *         "lastStatus": "delivered",
         *         "lastStatusCode": 204,
         *         "lastError": null
         *       },
         *       "health": {
         *         "state": "healthy",
         *         "since": null,
         *         "backlog": 0,
         *         "oldestPendingAt": null,
         *         "nextAttemptAt": null
         *       }
         *     }
         */
        Webhook: {
            id: string;
            /** @enum {string} */
            recType: "webhook";
            /**
             * @description Absolute http or https URL, without credentials or fragment, of a public host.
             * @example https://example.com/hooks/loggers
             */
            url: string;
            /**
             * @description Only active endpoints are delivered to.
             * @enum {string}
             */
            status: "active" | "disabled";
            /**
             * @description null while active. customer: through this API; failing: nothing got through for days; gone: it answered 410
             * @enum {string|null}
             */
            disabledReason: "customer" | "failing" | "gone" | null;
            /**
             * @description The kinds of events to deliver.
             * @example [
             *       "data.measurement.alert",
             *       "alert.created"
             *     ]
             */
            events: ("data.measurement.alert" | "alert.created" | "alert.acknowledged" | "alert.resolved" | "config.applied" | "config.failed" | "config.job.finished" | "device.offline" | "device.online" | "fleet.silent" | "webhook.disabled")[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, milliseconds
             * @example 2026-03-02T08:15:30.000Z
             */
            updatedAt: string;
            /** @description How the last attempt went; all null before the first one. */
            delivery: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, milliseconds
                 * @example 2026-03-02T08:15:30.000Z
                 */
                lastDeliveredAt: string | null;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, milliseconds
                 * @example 2026-03-02T08:15:30.000Z
                 */
                lastAttemptAt: string | null;
                /** @enum {string|null} */
                lastStatus: "delivered" | "retrying" | "failed" | "blocked" | null;
                lastStatusCode: number | null;
                lastError: string | null;
            };
            /** @description How deliveries to the endpoint are going. */
            health: {
                /**
                 * @description failing: the latest attempts failed; recovering: the backlog is sent at a growing pace; disabled: nothing is sent
                 * @enum {string}
                 */
                state: "healthy" | "failing" | "recovering" | "disabled";
                /**
                 * Format: date-time
                 * @description null while healthy
                 * @example 2026-03-02T08:15:30.000Z
                 */
                since: string | null;
                /** @description Deliveries that wait, held ones too; 10000 means 10000 or more */
                backlog: number;
                /**
                 * Format: date-time
                 * @description When the oldest of them was queued
                 * @example 2026-03-02T08:15:30.000Z
                 */
                oldestPendingAt: string | null;
                /**
                 * Format: date-time
                 * @description null when none is planned
                 * @example 2026-03-02T08:15:30.000Z
                 */
                nextAttemptAt: string | null;
            };
        };
    };
    responses: never;
    parameters: {
        /**
         * @description The id of the event, the same on every attempt and at every endpoint.
         * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
         */
        WebhookId: string;
        /**
         * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
         * @example 1772439330
         */
        WebhookTimestamp: string;
        /**
         * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        WebhookSignature: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listProfiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "profiles": [
                     *         {
                     *           "slug": "vaccine-fridge",
                     *           "name": "Vaccine fridge",
                     *           "schedule": {
                     *             "always": true
                     *           },
                     *           "temperatureAlerts": [
                     *             {
                     *               "type": "range",
                     *               "channel": "probe",
                     *               "lowC": 2,
                     *               "highC": 8,
                     *               "hysteresisC": 0.5,
                     *               "transmitOnBreach": true,
                     *               "transmitOnReturn": true
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        profiles: components["schemas"]["Profile"][];
                    };
                };
            };
        };
    };
    createProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Vaccine fridge",
                 *       "temperatureAlerts": [
                 *         {
                 *           "type": "range",
                 *           "channel": "probe",
                 *           "lowC": 2,
                 *           "highC": 8,
                 *           "hysteresisC": 0.5
                 *         }
                 *       ],
                 *       "schedule": {
                 *         "always": true
                 *       },
                 *       "intervals": {
                 *         "measurementIntervalMinutes": 5,
                 *         "transmissionIntervalSeconds": 14400
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateProfile"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "profile": {
                     *         "slug": "vaccine-fridge",
                     *         "name": "Vaccine fridge",
                     *         "schedule": {
                     *           "always": true
                     *         },
                     *         "temperatureAlerts": [
                     *           {
                     *             "type": "range",
                     *             "channel": "probe",
                     *             "lowC": 2,
                     *             "highC": 8,
                     *             "hysteresisC": 0.5,
                     *             "transmitOnBreach": true,
                     *             "transmitOnReturn": true,
                     *             "minC": 2,
                     *             "maxC": 8
                     *           }
                     *         ],
                     *         "measurementIntervalMinutes": 5,
                     *         "transmissionIntervalSeconds": 14400
                     *       }
                     *     }
                     */
                    "application/json": {
                        profile: components["schemas"]["ProfileDetail"];
                    };
                };
            };
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifies the profile in paths. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "profile": {
                     *         "slug": "vaccine-fridge",
                     *         "name": "Vaccine fridge",
                     *         "schedule": {
                     *           "always": true
                     *         },
                     *         "temperatureAlerts": [
                     *           {
                     *             "type": "range",
                     *             "channel": "probe",
                     *             "lowC": 2,
                     *             "highC": 8,
                     *             "hysteresisC": 0.5,
                     *             "transmitOnBreach": true,
                     *             "transmitOnReturn": true
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        profile: components["schemas"]["Profile"];
                    };
                };
            };
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifies the profile in paths. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "intervals": {
                 *         "transmissionIntervalSeconds": 3600
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["UpdateProfile"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "profile": {
                     *         "slug": "vaccine-fridge",
                     *         "name": "Vaccine fridge",
                     *         "schedule": {
                     *           "always": true
                     *         },
                     *         "temperatureAlerts": [
                     *           {
                     *             "type": "range",
                     *             "channel": "probe",
                     *             "lowC": 2,
                     *             "highC": 8,
                     *             "hysteresisC": 0.5,
                     *             "transmitOnBreach": true,
                     *             "transmitOnReturn": true,
                     *             "minC": 2,
                     *             "maxC": 8
                     *           }
                     *         ],
                     *         "measurementIntervalMinutes": 5,
                     *         "transmissionIntervalSeconds": 14400
                     *       }
                     *     }
                     */
                    "application/json": {
                        profile: components["schemas"]["ProfileDetail"];
                    };
                };
            };
        };
    };
    applyProfile: {
        parameters: {
            query?: {
                /** @description Check and show what would be applied, change nothing */
                dryRun?: boolean;
                /** @description With dryRun: leave applied empty, which answers sooner for a large fleet */
                omitApplied?: boolean;
            };
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Identifies the profile in paths. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "serialNumbers": [
                 *         "282C02424EED"
                 *       ],
                 *       "deadlineMinutes": 1440
                 *     }
                 */
                "application/json": components["schemas"]["Apply"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true,
                     *       "profileSlug": "vaccine-fridge",
                     *       "appliedCount": 1,
                     *       "applied": [
                     *         "282C02424EED"
                     *       ],
                     *       "jobId": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5"
                     *     }
                     */
                    "application/json": components["schemas"]["Applied"];
                };
            };
        };
    };
    listConfigJobs: {
        parameters: {
            query?: {
                status?: "scheduled" | "running" | "succeeded" | "completed_with_failures" | "aborted" | "cancelled";
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5",
                     *           "profileSlug": "vaccine-fridge",
                     *           "status": "succeeded",
                     *           "reason": null,
                     *           "total": 2,
                     *           "counts": {
                     *             "queued": 0,
                     *             "waiting": 0,
                     *             "sent": 0,
                     *             "applied": 2,
                     *             "failed": 0,
                     *             "cancelled": 0,
                     *             "superseded": 0,
                     *             "timedOut": 0
                     *           },
                     *           "deadlineAt": "2026-03-04T08:00:00.000Z",
                     *           "createdAt": "2026-03-02T08:00:00.000Z",
                     *           "createdBy": {
                     *             "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                     *             "name": "Kitchen"
                     *           },
                     *           "origin": {
                     *             "action": "applyProfile",
                     *             "scope": "devices",
                     *             "groupId": null
                     *           },
                     *           "cancelRequestedAt": null,
                     *           "finishedAt": "2026-03-02T08:15:30.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["ConfigJob"][];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getConfigJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5",
                     *       "profileSlug": "vaccine-fridge",
                     *       "status": "succeeded",
                     *       "reason": null,
                     *       "total": 2,
                     *       "counts": {
                     *         "queued": 0,
                     *         "waiting": 0,
                     *         "sent": 0,
                     *         "applied": 2,
                     *         "failed": 0,
                     *         "cancelled": 0,
                     *         "superseded": 0,
                     *         "timedOut": 0
                     *       },
                     *       "deadlineAt": "2026-03-04T08:00:00.000Z",
                     *       "createdAt": "2026-03-02T08:00:00.000Z",
                     *       "createdBy": {
                     *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                     *         "name": "Kitchen"
                     *       },
                     *       "origin": {
                     *         "action": "applyProfile",
                     *         "scope": "devices",
                     *         "groupId": null
                     *       },
                     *       "cancelRequestedAt": null,
                     *       "finishedAt": "2026-03-02T08:15:30.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConfigJob"];
                };
            };
        };
    };
    listConfigJobTargets: {
        parameters: {
            query?: {
                state?: "queued" | "waiting" | "sent" | "applied" | "failed" | "cancelled" | "superseded" | "timed_out";
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                     *           "serialNumber": "282C02424EED",
                     *           "state": "sent",
                     *           "reason": null,
                     *           "updatedAt": "2026-03-02T08:15:30.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["JobTarget"][];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    cancelConfigJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5",
                     *       "profileSlug": "vaccine-fridge",
                     *       "status": "succeeded",
                     *       "reason": null,
                     *       "total": 2,
                     *       "counts": {
                     *         "queued": 0,
                     *         "waiting": 0,
                     *         "sent": 0,
                     *         "applied": 2,
                     *         "failed": 0,
                     *         "cancelled": 0,
                     *         "superseded": 0,
                     *         "timedOut": 0
                     *       },
                     *       "deadlineAt": "2026-03-04T08:00:00.000Z",
                     *       "createdAt": "2026-03-02T08:00:00.000Z",
                     *       "createdBy": {
                     *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                     *         "name": "Kitchen"
                     *       },
                     *       "origin": {
                     *         "action": "applyProfile",
                     *         "scope": "devices",
                     *         "groupId": null
                     *       },
                     *       "cancelRequestedAt": null,
                     *       "finishedAt": "2026-03-02T08:15:30.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConfigJob"];
                };
            };
        };
    };
    proceedConfigJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5",
                     *       "profileSlug": "vaccine-fridge",
                     *       "status": "succeeded",
                     *       "reason": null,
                     *       "total": 2,
                     *       "counts": {
                     *         "queued": 0,
                     *         "waiting": 0,
                     *         "sent": 0,
                     *         "applied": 2,
                     *         "failed": 0,
                     *         "cancelled": 0,
                     *         "superseded": 0,
                     *         "timedOut": 0
                     *       },
                     *       "deadlineAt": "2026-03-04T08:00:00.000Z",
                     *       "createdAt": "2026-03-02T08:00:00.000Z",
                     *       "createdBy": {
                     *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                     *         "name": "Kitchen"
                     *       },
                     *       "origin": {
                     *         "action": "applyProfile",
                     *         "scope": "devices",
                     *         "groupId": null
                     *       },
                     *       "cancelRequestedAt": null,
                     *       "finishedAt": "2026-03-02T08:15:30.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConfigJob"];
                };
            };
        };
    };
    extendConfigJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "deadlineAt": "2026-03-05T08:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Later than the present one, and at most 43200 minutes ahead
                     * @example 2026-03-02T08:15:30Z
                     */
                    deadlineAt: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5",
                     *       "profileSlug": "vaccine-fridge",
                     *       "status": "succeeded",
                     *       "reason": null,
                     *       "total": 2,
                     *       "counts": {
                     *         "queued": 0,
                     *         "waiting": 0,
                     *         "sent": 0,
                     *         "applied": 2,
                     *         "failed": 0,
                     *         "cancelled": 0,
                     *         "superseded": 0,
                     *         "timedOut": 0
                     *       },
                     *       "deadlineAt": "2026-03-04T08:00:00.000Z",
                     *       "createdAt": "2026-03-02T08:00:00.000Z",
                     *       "createdBy": {
                     *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                     *         "name": "Kitchen"
                     *       },
                     *       "origin": {
                     *         "action": "applyProfile",
                     *         "scope": "devices",
                     *         "groupId": null
                     *       },
                     *       "cancelRequestedAt": null,
                     *       "finishedAt": "2026-03-02T08:15:30.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConfigJob"];
                };
            };
        };
    };
    retryConfigJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5",
                     *       "profileSlug": "vaccine-fridge",
                     *       "status": "succeeded",
                     *       "reason": null,
                     *       "total": 2,
                     *       "counts": {
                     *         "queued": 0,
                     *         "waiting": 0,
                     *         "sent": 0,
                     *         "applied": 2,
                     *         "failed": 0,
                     *         "cancelled": 0,
                     *         "superseded": 0,
                     *         "timedOut": 0
                     *       },
                     *       "deadlineAt": "2026-03-04T08:00:00.000Z",
                     *       "createdAt": "2026-03-02T08:00:00.000Z",
                     *       "createdBy": {
                     *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                     *         "name": "Kitchen"
                     *       },
                     *       "origin": {
                     *         "action": "applyProfile",
                     *         "scope": "devices",
                     *         "groupId": null
                     *       },
                     *       "cancelRequestedAt": null,
                     *       "finishedAt": "2026-03-02T08:15:30.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConfigJob"];
                };
            };
        };
    };
    withdrawDeviceConfig: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                serial: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serialNumber": "282C02424EED",
                     *       "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                     *       "assetName": "Vaccine fridge 2",
                     *       "pendingConfig": {
                     *         "transmissionInterval": 3600
                     *       },
                     *       "deviceConfig": {
                     *         "measurementPeriodBase": 300,
                     *         "measurementPeriodFactor": 1,
                     *         "transmissionInterval": 21600,
                     *         "alarmRules": [
                     *           {
                     *             "condition": "HIGH_THRESHOLD",
                     *             "slotNumbers": [
                     *               0
                     *             ],
                     *             "alarmRuleType": "TEMPERATURE",
                     *             "threshold": 8,
                     *             "hysteresis": 0.5,
                     *             "mode": "CONSECUTIVE_SAMPLES",
                     *             "samples": 1,
                     *             "action": "TRIGGER_TRANSMISSION"
                     *           },
                     *           {
                     *             "condition": "LOW_THRESHOLD",
                     *             "slotNumbers": [
                     *               0
                     *             ],
                     *             "alarmRuleType": "TEMPERATURE",
                     *             "threshold": 2,
                     *             "hysteresis": 0.5,
                     *             "mode": "CONSECUTIVE_SAMPLES",
                     *             "samples": 1,
                     *             "action": "TRIGGER_TRANSMISSION"
                     *           }
                     *         ],
                     *         "calendars": []
                     *       },
                     *       "deviceConfigReceivedAt": "2026-03-02T08:15:30.000Z",
                     *       "syncStatus": "pending"
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceConfigurationRecord"];
                };
            };
        };
    };
    getDeviceConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serial: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serialNumber": "282C02424EED",
                     *       "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                     *       "assetName": "Vaccine fridge 2",
                     *       "pendingConfig": {
                     *         "transmissionInterval": 3600
                     *       },
                     *       "deviceConfig": {
                     *         "measurementPeriodBase": 300,
                     *         "measurementPeriodFactor": 1,
                     *         "transmissionInterval": 21600,
                     *         "alarmRules": [
                     *           {
                     *             "condition": "HIGH_THRESHOLD",
                     *             "slotNumbers": [
                     *               0
                     *             ],
                     *             "alarmRuleType": "TEMPERATURE",
                     *             "threshold": 8,
                     *             "hysteresis": 0.5,
                     *             "mode": "CONSECUTIVE_SAMPLES",
                     *             "samples": 1,
                     *             "action": "TRIGGER_TRANSMISSION"
                     *           },
                     *           {
                     *             "condition": "LOW_THRESHOLD",
                     *             "slotNumbers": [
                     *               0
                     *             ],
                     *             "alarmRuleType": "TEMPERATURE",
                     *             "threshold": 2,
                     *             "hysteresis": 0.5,
                     *             "mode": "CONSECUTIVE_SAMPLES",
                     *             "samples": 1,
                     *             "action": "TRIGGER_TRANSMISSION"
                     *           }
                     *         ],
                     *         "calendars": []
                     *       },
                     *       "deviceConfigReceivedAt": "2026-03-02T08:15:30.000Z",
                     *       "syncStatus": "pending"
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceConfigurationRecord"];
                };
            };
        };
    };
    fetchPendingConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serial: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "revision": 3,
                     *       "config": {
                     *         "transmissionInterval": 3600
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["OfferedChange"];
                };
            };
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    reportConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serial: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "measurementPeriodBase": 300,
                 *       "measurementPeriodFactor": 1,
                 *       "transmissionInterval": 21600,
                 *       "alarmRules": [
                 *         {
                 *           "condition": "HIGH_THRESHOLD",
                 *           "slotNumbers": [
                 *             0
                 *           ],
                 *           "alarmRuleType": "TEMPERATURE",
                 *           "threshold": 8,
                 *           "hysteresis": 0.5,
                 *           "mode": "CONSECUTIVE_SAMPLES",
                 *           "samples": 1,
                 *           "action": "TRIGGER_TRANSMISSION"
                 *         },
                 *         {
                 *           "condition": "LOW_THRESHOLD",
                 *           "slotNumbers": [
                 *             0
                 *           ],
                 *           "alarmRuleType": "TEMPERATURE",
                 *           "threshold": 2,
                 *           "hysteresis": 0.5,
                 *           "mode": "CONSECUTIVE_SAMPLES",
                 *           "samples": 1,
                 *           "action": "TRIGGER_TRANSMISSION"
                 *         }
                 *       ],
                 *       "calendars": [],
                 *       "configHash": 2748219
                 *     }
                 */
                "application/json": components["schemas"]["ConfigReport"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "syncStatus": "sent",
                     *       "pendingConfig": {
                     *         "revision": 3,
                     *         "config": {
                     *           "transmissionInterval": 3600
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description pending: not fetched yet; sent: fetched, not confirmed; failed: the device refused; drifted: it reports something else than it confirmed last
                         * @enum {string}
                         */
                        syncStatus: "no_device_report" | "pending" | "sent" | "failed" | "applied" | "drifted";
                        pendingConfig: components["schemas"]["OfferedChange"] | null;
                    };
                };
            };
        };
    };
    listUnregisteredDevices: {
        parameters: {
            query?: {
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "recType": "unregistered-device",
                     *           "serialNumber": "282c02424eed",
                     *           "firstSeenAt": "2026-03-01T08:15:30.000Z",
                     *           "lastSeenAt": "2026-03-02T08:15:30.000Z",
                     *           "count": 24
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["UnregisteredDevice"][];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    removeUnregisteredDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serial: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    sendMeasurements: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serial: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "readings": [
                 *         {
                 *           "channel": "probe",
                 *           "type": "temperature",
                 *           "value": 4.2,
                 *           "measuredAt": "2026-03-02T08:15:00Z"
                 *         },
                 *         {
                 *           "channel": 2,
                 *           "type": "humidity",
                 *           "value": 41,
                 *           "measuredAt": "2026-03-02T08:15:00Z"
                 *         }
                 *       ],
                 *       "batteryStatus": "ok",
                 *       "signal": 40
                 *     }
                 */
                "application/json": components["schemas"]["SentMeasurements"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accepted": 2,
                     *       "duplicates": 0,
                     *       "conflicts": 0,
                     *       "pendingConfig": null
                     *     }
                     */
                    "application/json": {
                        /** @description Readings that were new */
                        accepted: number;
                        /** @description Readings that were known already */
                        duplicates: number;
                        /** @description Readings with another value or type than a known one of their channel and time, which stays */
                        conflicts: number;
                        pendingConfig: components["schemas"]["OfferedChange"] | null;
                        /**
                         * @description Only when configHash differs from that of the last report: the device should report again
                         * @enum {boolean}
                         */
                        wantsReport?: true;
                    };
                };
            };
        };
    };
    listMeasurements: {
        parameters: {
            query?: {
                /** @description Measured at this time or later */
                from?: string;
                /** @description Measured before this time */
                to?: string;
                channel?: number;
                /** @description Sums up each channel in buckets of this length, in UTC, instead of single readings */
                resolution?: "5m" | "1h" | "1d";
                /** @description Items per page: to 500, of buckets to 10000 */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "channel": 1,
                     *           "position": "probe",
                     *           "type": "temperature",
                     *           "value": 4.2,
                     *           "unit": "°C",
                     *           "measuredAt": "2026-03-02T08:15:00.000Z",
                     *           "receivedAt": "2026-03-02T08:15:30.000Z",
                     *           "late": false
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Single readings, or buckets if a resolution was given */
                        items: (components["schemas"]["Measurement"] | components["schemas"]["MeasurementBucket"])[];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                    /**
                     * @example channel,position,type,value,unit,measuredAt,receivedAt,late,error
                     *     1,probe,temperature,4.2,°C,2026-03-02T08:15:00.000Z,2026-03-02T08:15:30.000Z,false,
                     */
                    "text/csv": string;
                };
            };
        };
    };
    exportMeasurements: {
        parameters: {
            query: {
                /** @description Measured at this time or later */
                from: string;
                /** @description Measured before this time */
                to: string;
                /** @description 1 to 100 ids, separated by commas */
                assetIds?: string;
                /** @description Of the devices that are in this group now */
                groupId?: string;
                /** @description Of all devices that are not archived */
                all?: true;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"assetId":"019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27","serialNumber":"282C02424EED","channel":1,"position":"probe","type":"temperature","value":4.2,"unit":"°C","measuredAt":"2026-03-02T08:15:00.000Z","receivedAt":"2026-03-02T08:15:30.000Z","late":false} */
                    "application/x-ndjson": string;
                    /**
                     * @example assetId,serialNumber,channel,position,type,value,unit,measuredAt,receivedAt,late,error
                     *     019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27,282C02424EED,1,probe,temperature,4.2,°C,2026-03-02T08:15:00.000Z,2026-03-02T08:15:30.000Z,false,
                     */
                    "text/csv": string;
                };
            };
        };
    };
    listSettings: {
        parameters: {
            query?: {
                /** @description Settings that were in force at this time or later */
                from?: string;
                /** @description Settings that were in force before this time */
                to?: string;
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "from": "2026-03-02T08:15:30.000Z",
                     *           "to": null,
                     *           "measurementPeriodSeconds": 300,
                     *           "transmissionIntervalSeconds": 3600,
                     *           "alerts": [
                     *             {
                     *               "channel": 1,
                     *               "type": "range",
                     *               "lowC": 2,
                     *               "highC": 8,
                     *               "hysteresisC": 0.5,
                     *               "severity": "critical",
                     *               "schedule": {
                     *                 "always": true
                     *               }
                     *             }
                     *           ],
                     *           "profileSlug": "vaccine-fridge",
                     *           "source": "confirmed"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["SettingsInForce"][];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getStatistics: {
        parameters: {
            query: {
                /** @description Measured at this time or later */
                from: string;
                /** @description Measured before this time; at most 400 days later */
                to: string;
                /** @description In which the PDF shows times; JSON shows them in UTC */
                timezone?: string;
                /** @description Ids of 1 to 4 further devices, separated by commas: the PDF begins with their curves in one picture, and has a record of each. Only with Accept: application/pdf */
                with?: string;
            };
            header?: never;
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "channels": [
                     *         {
                     *           "channel": 1,
                     *           "position": "probe",
                     *           "type": "temperature",
                     *           "unit": "°C",
                     *           "count": 279,
                     *           "min": 3.1,
                     *           "max": 8.4,
                     *           "avg": 4.6,
                     *           "meanKineticTemperature": 4.7,
                     *           "alerts": [
                     *             {
                     *               "type": "range",
                     *               "lowC": 2,
                     *               "highC": 8,
                     *               "severity": "critical",
                     *               "from": "2026-03-02T00:00:00.000Z",
                     *               "to": "2026-03-03T00:00:00.000Z",
                     *               "secondsOutside": 600
                     *             }
                     *           ],
                     *           "withoutBounds": [],
                     *           "readings": 279,
                     *           "expectedReadings": 288,
                     *           "expectedFrom": "2026-03-02T00:00:00.000Z",
                     *           "completenessPercent": 96.88,
                     *           "gaps": [
                     *             {
                     *               "from": "2026-03-02T08:25:00.000Z",
                     *               "to": "2026-03-02T09:15:00.000Z"
                     *             }
                     *           ],
                     *           "gapCount": 1
                     *         }
                     *       ],
                     *       "mutedSpans": [
                     *         {
                     *           "from": "2026-03-02T09:00:00.000Z",
                     *           "to": "2026-03-02T10:00:00.000Z",
                     *           "reason": "Defrosting"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Statistics"];
                    "application/pdf": string;
                };
            };
        };
    };
    listAssets: {
        parameters: {
            query?: {
                /** @description Items per page */
                limit?: number;
                /** @description Id of the last asset of the page before */
                cursor?: string;
                /** @description Only this product line */
                model?: string;
                /**
                 * @deprecated
                 * @description Use model
                 */
                "model-name"?: string;
                /** @description Part of the serial number or the name; case does not count */
                q?: string;
                /** @description Compared without case */
                serialNumber?: string;
                status?: "new" | "online" | "offline";
                batteryStatus?: "ok" | "low" | "unknown";
                syncStatus?: "no_device_report" | "pending" | "sent" | "failed" | "applied" | "drifted";
                /** @description Whether a profile is pending for the device, or it has confirmed one */
                hadProfile?: boolean;
                /** @description Devices whose settings in force came with this profile last; before their first report, those to which it is applied */
                profileSlug?: string;
                /** @description Members of this group */
                groupId?: string;
                /** @description Also those that have never sent a reading */
                lastReadingBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                     *           "recType": "asset",
                     *           "name": "Vaccine fridge 2",
                     *           "serialNumber": "282C02424EED",
                     *           "status": "online",
                     *           "signalStrength": "good",
                     *           "batteryStatus": "ok",
                     *           "model": "TVO-THT",
                     *           "lastReadingAt": "2026-03-02T08:15:00.000Z",
                     *           "waterType": null,
                     *           "floor": 0,
                     *           "buildingId": "main",
                     *           "spaceId": "pharmacy",
                     *           "createdAt": "2026-02-20T13:05:12.000Z",
                     *           "groupId": "019cb0a5-9f31-7d02-a6c4-58e1b7d2f093",
                     *           "syncStatus": "applied",
                     *           "openAlerts": 0,
                     *           "mute": null,
                     *           "latest": [
                     *             {
                     *               "channel": 1,
                     *               "position": "probe",
                     *               "type": "temperature",
                     *               "value": 4.2,
                     *               "unit": "°C",
                     *               "measuredAt": "2026-03-02T08:15:00.000Z"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "totalItems": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["ListedAsset"][];
                        /** @description All that match, on all pages. With q, profileSlug, lastReadingBefore or several filters, 1000 means 1000 or more. */
                        totalItems: number;
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    registerAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "serialNumber": "282C02424EED",
                 *       "name": "Vaccine fridge 2",
                 *       "waterType": "automatic",
                 *       "floor": 0,
                 *       "model": "TVO-THT",
                 *       "buildingId": "main",
                 *       "spaceId": "pharmacy"
                 *     }
                 */
                "application/json": components["schemas"]["RegisterAsset"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27"
                     *     }
                     */
                    "application/json": {
                        id: string;
                        /** @description Only when there are any */
                        warnings?: string[];
                    };
                };
            };
        };
    };
    importAssets: {
        parameters: {
            query?: {
                /** @description Check each row and show its result, register nothing */
                dryRun?: boolean;
            };
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example serialNumber,name,model,floor,group
                 *     282C02424EED,Vaccine fridge 2,TVO-THT,0,Vaccine fridges
                 */
                "text/csv": string;
                /**
                 * @example [
                 *       {
                 *         "serialNumber": "282C02424EED",
                 *         "name": "Vaccine fridge 2",
                 *         "floor": 0,
                 *         "group": "Vaccine fridges"
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["ImportedAsset"][];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dryRun": false,
                     *       "created": 1,
                     *       "unchanged": 0,
                     *       "failed": 1,
                     *       "results": [
                     *         {
                     *           "row": 1,
                     *           "line": 2,
                     *           "serialNumber": "282C02424EED",
                     *           "outcome": "created",
                     *           "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                     *           "error": null
                     *         },
                     *         {
                     *           "row": 2,
                     *           "line": 3,
                     *           "serialNumber": null,
                     *           "outcome": "failed",
                     *           "id": null,
                     *           "error": "serialNumber is required"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description true: nothing was registered */
                        dryRun: boolean;
                        created: number;
                        /** @description An active device had the serial number already */
                        unchanged: number;
                        failed: number;
                        /** @description One for each row, in their order */
                        results: {
                            /** @description Rows of data, from 1 */
                            row: number;
                            /** @description Line on which the row begins, from 1 */
                            line: number;
                            serialNumber: string | null;
                            /** @enum {string} */
                            outcome: "created" | "unchanged" | "failed";
                            /** @description null when the row failed, and in a dry run for a device that would be registered */
                            id: string | null;
                            error: string | null;
                            /** @description As when one device is registered; only when there are any */
                            warnings?: string[];
                        }[];
                    };
                };
            };
        };
    };
    getAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                     *       "recType": "asset",
                     *       "name": "Vaccine fridge 2",
                     *       "serialNumber": "282C02424EED",
                     *       "status": "online",
                     *       "signalStrength": "good",
                     *       "batteryStatus": "ok",
                     *       "model": "TVO-THT",
                     *       "lastReadingAt": "2026-03-02T08:15:00.000Z",
                     *       "waterType": null,
                     *       "floor": 0,
                     *       "buildingId": "main",
                     *       "spaceId": "pharmacy",
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "groupId": "019cb0a5-9f31-7d02-a6c4-58e1b7d2f093",
                     *       "syncStatus": "applied",
                     *       "openAlerts": 0,
                     *       "mute": null,
                     *       "latest": [
                     *         {
                     *           "channel": 1,
                     *           "position": "probe",
                     *           "type": "temperature",
                     *           "value": 4.2,
                     *           "unit": "°C",
                     *           "measuredAt": "2026-03-02T08:15:00.000Z"
                     *         }
                     *       ],
                     *       "replacementHistory": [
                     *         {
                     *           "serialNumber": "282C0241A0F3",
                     *           "replacedAt": "2026-02-27T10:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AssetDetail"];
                };
            };
        };
    };
    archiveAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true
                     *     }
                     */
                    "application/json": {
                        deleted: boolean;
                    };
                };
            };
        };
    };
    changeAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Vaccine fridge 3",
                 *       "spaceId": null
                 *     }
                 */
                "application/json": {
                    name?: string;
                    waterType?: string | null;
                    floor?: number | null;
                    /** @description Sensor product line */
                    model?: string | null;
                    /** @description In the customer's own system */
                    buildingId?: string | null;
                    /** @description In the customer's own system */
                    spaceId?: string | null;
                    /** @description The group that the device is in; it is in one at most */
                    groupId?: string | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                     *       "recType": "asset",
                     *       "name": "Vaccine fridge 2",
                     *       "serialNumber": "282C02424EED",
                     *       "status": "online",
                     *       "signalStrength": "good",
                     *       "batteryStatus": "ok",
                     *       "model": "TVO-THT",
                     *       "lastReadingAt": "2026-03-02T08:15:00.000Z",
                     *       "waterType": null,
                     *       "floor": 0,
                     *       "buildingId": "main",
                     *       "spaceId": "pharmacy",
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "groupId": "019cb0a5-9f31-7d02-a6c4-58e1b7d2f093",
                     *       "syncStatus": "applied",
                     *       "openAlerts": 0,
                     *       "mute": null,
                     *       "latest": [
                     *         {
                     *           "channel": 1,
                     *           "position": "probe",
                     *           "type": "temperature",
                     *           "value": 4.2,
                     *           "unit": "°C",
                     *           "measuredAt": "2026-03-02T08:15:00.000Z"
                     *         }
                     *       ],
                     *       "replacementHistory": [
                     *         {
                     *           "serialNumber": "282C0241A0F3",
                     *           "replacedAt": "2026-02-27T10:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AssetDetail"];
                };
            };
        };
    };
    replaceHardware: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "newSerialNumber": "282C02431B07"
                 *     }
                 */
                "application/json": {
                    /** @example 282C02424EED */
                    newSerialNumber: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "serialNumber": "282C02431B07"
                     *     }
                     */
                    "application/json": {
                        success: boolean;
                        serialNumber: string;
                        /** @description Only when there are any */
                        warnings?: string[];
                    };
                };
            };
        };
    };
    issueDeviceToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "dev_…"
                     *     }
                     */
                    "application/json": {
                        /** @description 36 characters, the most that a logger can store; shown only this once */
                        token: string;
                    };
                };
            };
        };
    };
    deleteDeviceToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    muteAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "until": "2026-03-02T10:00:00.000Z",
                 *       "reason": "Defrosting"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description When it begins, at most 30 days ahead. Default: now
                     * @example 2026-03-02T08:15:30Z
                     */
                    from?: string;
                    /**
                     * Format: date-time
                     * @description When it ends by itself, at most 30 days after its beginning
                     * @example 2026-03-02T08:15:30Z
                     */
                    until: string;
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-03-02T08:00:00.000Z",
                     *       "until": "2026-03-02T10:00:00.000Z",
                     *       "reason": "Defrosting",
                     *       "by": {
                     *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                     *         "name": "Kitchen"
                     *       },
                     *       "groupId": null
                     *     }
                     */
                    "application/json": components["schemas"]["Mute"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-03-02T08:00:00.000Z",
                     *       "until": "2026-03-02T10:00:00.000Z",
                     *       "reason": "Defrosting",
                     *       "by": {
                     *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                     *         "name": "Kitchen"
                     *       },
                     *       "groupId": null
                     *     }
                     */
                    "application/json": components["schemas"]["Mute"];
                };
            };
        };
    };
    unmuteAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    muteGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "until": "2026-03-02T10:00:00.000Z",
                 *       "reason": "Defrosting"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description When it begins, at most 30 days ahead. Default: now
                     * @example 2026-03-02T08:15:30Z
                     */
                    from?: string;
                    /**
                     * Format: date-time
                     * @description When it ends by itself, at most 30 days after its beginning
                     * @example 2026-03-02T08:15:30Z
                     */
                    until: string;
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-03-02T08:00:00.000Z",
                     *       "until": "2026-03-02T10:00:00.000Z",
                     *       "reason": "Defrosting",
                     *       "by": {
                     *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                     *         "name": "Kitchen"
                     *       },
                     *       "groupId": null
                     *     }
                     */
                    "application/json": components["schemas"]["Mute"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-03-02T08:00:00.000Z",
                     *       "until": "2026-03-02T10:00:00.000Z",
                     *       "reason": "Defrosting",
                     *       "by": {
                     *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                     *         "name": "Kitchen"
                     *       },
                     *       "groupId": null
                     *     }
                     */
                    "application/json": components["schemas"]["Mute"];
                };
            };
        };
    };
    unmuteGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listGroups: {
        parameters: {
            query?: {
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "019cb0a5-9f31-7d02-a6c4-58e1b7d2f093",
                     *           "recType": "group",
                     *           "name": "Vaccine fridges",
                     *           "profileSlug": "vaccine-fridge",
                     *           "memberCount": 12,
                     *           "mute": null,
                     *           "createdAt": "2026-02-20T13:05:12.000Z",
                     *           "updatedAt": "2026-03-02T08:15:30.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Group"][];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Vaccine fridges",
                 *       "profileSlug": "vaccine-fridge"
                 *     }
                 */
                "application/json": {
                    /** @description Unique, compared without case */
                    name: string;
                    /**
                     * @description The profile that members are to run; null for none
                     * @example vaccine-fridge
                     */
                    profileSlug?: string | null;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a5-9f31-7d02-a6c4-58e1b7d2f093",
                     *       "recType": "group",
                     *       "name": "Vaccine fridges",
                     *       "profileSlug": "vaccine-fridge",
                     *       "memberCount": 12,
                     *       "mute": null,
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-03-02T08:15:30.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Group"];
                };
            };
        };
    };
    getGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a5-9f31-7d02-a6c4-58e1b7d2f093",
                     *       "recType": "group",
                     *       "name": "Vaccine fridges",
                     *       "profileSlug": "vaccine-fridge",
                     *       "memberCount": 12,
                     *       "mute": null,
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-03-02T08:15:30.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Group"];
                };
            };
        };
    };
    deleteGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateGroup: {
        parameters: {
            query?: {
                /** @description Show what the job would offer, change nothing */
                dryRun?: boolean;
            };
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "profileSlug": "vaccine-fridge",
                 *       "deadlineMinutes": 1440
                 *     }
                 */
                "application/json": {
                    /** @description Unique, compared without case */
                    name?: string;
                    /**
                     * @description The profile that members are to run; null for none
                     * @example vaccine-fridge
                     */
                    profileSlug?: string | null;
                    rollout?: components["schemas"]["Rollout"];
                    /** @description Minutes from the start until the job stops waiting; the change stays pending */
                    deadlineMinutes?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a5-9f31-7d02-a6c4-58e1b7d2f093",
                     *       "recType": "group",
                     *       "name": "Vaccine fridges",
                     *       "profileSlug": "vaccine-fridge",
                     *       "memberCount": 12,
                     *       "mute": null,
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-03-02T08:15:30.000Z",
                     *       "jobId": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5"
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedGroup"];
                };
            };
        };
    };
    addGroupMembers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "serialNumbers": [
                 *         "282C02424EED"
                 *       ]
                 *     }
                 */
                "application/json": {
                    serialNumbers: string[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "added": 1,
                     *       "jobId": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5"
                     *     }
                     */
                    "application/json": {
                        /** @description How many were not in the group */
                        added: number;
                        /** @description The job for members that do not run the profile; null when there is none */
                        jobId: string | null;
                    };
                };
            };
        };
    };
    removeGroupMembers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "serialNumbers": [
                 *         "282C02424EED"
                 *       ]
                 *     }
                 */
                "application/json": {
                    serialNumbers: string[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "removed": 1
                     *     }
                     */
                    "application/json": {
                        /** @description How many were in the group */
                        removed: number;
                    };
                };
            };
        };
    };
    getFleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recType": "fleet",
                     *       "status": {
                     *         "new": 2,
                     *         "online": 176,
                     *         "offline": 2
                     *       },
                     *       "syncStatus": {
                     *         "no_device_report": 2,
                     *         "pending": 4,
                     *         "sent": 0,
                     *         "failed": 1,
                     *         "applied": 172,
                     *         "drifted": 1
                     *       },
                     *       "noProfile": 3,
                     *       "batteryStatus": {
                     *         "ok": 170,
                     *         "low": 8,
                     *         "unknown": 2
                     *       },
                     *       "openAlerts": {
                     *         "high_temp": 1,
                     *         "low_temp": 0,
                     *         "no_data": 2,
                     *         "low_battery": 8,
                     *         "sensor_error": 0
                     *       },
                     *       "endpoints": {
                     *         "healthy": 2,
                     *         "failing": 0,
                     *         "recovering": 0,
                     *         "disabled": 1
                     *       },
                     *       "unregisteredDevices": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Fleet"];
                };
            };
        };
    };
    getCalibrationCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
        };
    };
    uploadCalibrationCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                assetId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/pdf": string;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serialNumber": "282C02424EED",
                     *       "sizeBytes": 48213,
                     *       "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "uploadedAt": "2026-03-02T08:15:30.000Z"
                     *     }
                     */
                    "application/json": {
                        /** @description The certificate belongs to it, not to the asset */
                        serialNumber: string;
                        sizeBytes: number;
                        /** @description Of the file, in hexadecimal; also its ETag */
                        sha256: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds
                         * @example 2026-03-02T08:15:30.000Z
                         */
                        uploadedAt: string;
                    };
                };
            };
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                status?: "new" | "acknowledged" | "resolved";
                /** @description Only of this type */
                type?: "high_temp" | "low_temp" | "no_data" | "low_battery" | "sensor_error";
                /** @description Only of this severity */
                severity?: "warning" | "critical";
                /** @description Only excursions in late data, or only other alerts */
                late?: boolean;
                /** @description Only of this asset */
                assetId?: string;
                /** @description Only of present members of this group */
                groupId?: string;
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recType": "alert-collection",
                     *       "items": [
                     *         {
                     *           "id": "019cb0a8-2f1c-7d3e-9a44-6b1f0c2d3e4f",
                     *           "recType": "alert",
                     *           "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                     *           "serialNumber": "282C02424EED",
                     *           "type": "high_temp",
                     *           "severity": "critical",
                     *           "status": "new",
                     *           "details": {
                     *             "channel": 1,
                     *             "value": 8.6,
                     *             "bounds": {
                     *               "lowC": 2,
                     *               "highC": 8,
                     *               "hysteresisC": 0.5
                     *             }
                     *           },
                     *           "timestamp": "2026-03-02T08:15:00.000Z",
                     *           "updatedAt": "2026-03-02T08:15:30.000Z",
                     *           "late": false,
                     *           "endedAt": null,
                     *           "extreme": null,
                     *           "acknowledgedAt": null,
                     *           "acknowledgedBy": null,
                     *           "assignee": null,
                     *           "snoozeUntil": null,
                     *           "muted": false,
                     *           "escalation": {
                     *             "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
                     *             "step": 1,
                     *             "nextStepAt": "2026-03-02T08:25:30.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "totalItems": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        /** @enum {string} */
                        recType: "alert-collection";
                        items: components["schemas"]["Alert"][];
                        /** @description All that match, on all pages. 100000 means 100000 or more. */
                        totalItems: number;
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                alertId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a8-2f1c-7d3e-9a44-6b1f0c2d3e4f",
                     *       "recType": "alert",
                     *       "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                     *       "serialNumber": "282C02424EED",
                     *       "type": "high_temp",
                     *       "severity": "critical",
                     *       "status": "new",
                     *       "details": {
                     *         "channel": 1,
                     *         "value": 8.6,
                     *         "bounds": {
                     *           "lowC": 2,
                     *           "highC": 8,
                     *           "hysteresisC": 0.5
                     *         }
                     *       },
                     *       "timestamp": "2026-03-02T08:15:00.000Z",
                     *       "updatedAt": "2026-03-02T08:15:30.000Z",
                     *       "late": false,
                     *       "endedAt": null,
                     *       "extreme": null,
                     *       "acknowledgedAt": null,
                     *       "acknowledgedBy": null,
                     *       "assignee": null,
                     *       "snoozeUntil": null,
                     *       "muted": false,
                     *       "escalation": {
                     *         "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
                     *         "step": 1,
                     *         "nextStepAt": "2026-03-02T08:25:30.000Z"
                     *       },
                     *       "history": [
                     *         {
                     *           "at": "2026-03-02T08:15:30.000Z",
                     *           "action": "opened",
                     *           "by": null,
                     *           "comment": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AlertWithHistory"];
                };
            };
        };
    };
    acknowledgeAlert: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                alertId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "acknowledged",
                 *       "comment": "The door was open: closed now",
                 *       "assignee": "Ada"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    status: "acknowledged";
                    /** @description Added to the history of the alert */
                    comment?: string;
                    /** @description Who takes care of it; null: nobody */
                    assignee?: string | null;
                    /**
                     * Format: date-time
                     * @description When it is new again if it is still open, at most 24 hours ahead; null: it stays acknowledged
                     * @example 2026-03-02T08:15:30Z
                     */
                    snoozeUntil?: string | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a8-2f1c-7d3e-9a44-6b1f0c2d3e4f",
                     *       "recType": "alert",
                     *       "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                     *       "serialNumber": "282C02424EED",
                     *       "type": "high_temp",
                     *       "severity": "critical",
                     *       "status": "new",
                     *       "details": {
                     *         "channel": 1,
                     *         "value": 8.6,
                     *         "bounds": {
                     *           "lowC": 2,
                     *           "highC": 8,
                     *           "hysteresisC": 0.5
                     *         }
                     *       },
                     *       "timestamp": "2026-03-02T08:15:00.000Z",
                     *       "updatedAt": "2026-03-02T08:15:30.000Z",
                     *       "late": false,
                     *       "endedAt": null,
                     *       "extreme": null,
                     *       "acknowledgedAt": null,
                     *       "acknowledgedBy": null,
                     *       "assignee": null,
                     *       "snoozeUntil": null,
                     *       "muted": false,
                     *       "escalation": {
                     *         "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
                     *         "step": 1,
                     *         "nextStepAt": "2026-03-02T08:25:30.000Z"
                     *       },
                     *       "history": [
                     *         {
                     *           "at": "2026-03-02T08:15:30.000Z",
                     *           "action": "opened",
                     *           "by": null,
                     *           "comment": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AlertWithHistory"];
                };
            };
        };
    };
    commentAlert: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                alertId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "Goods moved to cold room 2"
                 *     }
                 */
                "application/json": {
                    comment: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "at": "2026-03-02T08:20:00.000Z",
                     *       "action": "commented",
                     *       "by": {
                     *         "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                     *         "name": "Night shift"
                     *       },
                     *       "comment": "The door was open: closed now"
                     *     }
                     */
                    "application/json": components["schemas"]["AlertAction"];
                };
            };
        };
    };
    listCellularWebhooks: {
        parameters: {
            query?: {
                /** @description Only endpoints of this status */
                status?: "active" | "disabled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recType": "cellular-webhook-collection",
                     *       "items": [
                     *         {
                     *           "id": "019cb0a4-9d3b-7f61-a2c8-5e7d1f0b3a94",
                     *           "recType": "cellular-webhook",
                     *           "name": "Production",
                     *           "url": "https://example.com/hooks/loggers",
                     *           "status": "active",
                     *           "disabledReason": null,
                     *           "deliverConfigApplied": true,
                     *           "createdAt": "2026-02-20T13:05:12.000Z",
                     *           "updatedAt": "2026-02-20T13:05:12.000Z",
                     *           "delivery": {
                     *             "lastDeliveredAt": "2026-03-02T08:15:30.000Z",
                     *             "lastAttemptAt": "2026-03-02T08:15:30.000Z",
                     *             "lastStatus": "delivered",
                     *             "lastStatusCode": 204,
                     *             "lastError": null
                     *           },
                     *           "health": {
                     *             "state": "healthy",
                     *             "since": null,
                     *             "backlog": 0,
                     *             "oldestPendingAt": null,
                     *             "nextAttemptAt": null
                     *           }
                     *         }
                     *       ],
                     *       "totalItems": 1
                     *     }
                     */
                    "application/json": {
                        /** @enum {string} */
                        recType: "cellular-webhook-collection";
                        /** @description Newest last */
                        items: components["schemas"]["CellularWebhook"][];
                        /** @description All that match */
                        totalItems: number;
                    };
                };
            };
        };
    };
    createCellularWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hooks/loggers",
                 *       "name": "Production",
                 *       "deliverConfigApplied": true
                 *     }
                 */
                "application/json": components["schemas"]["CreateCellularWebhook"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a4-9d3b-7f61-a2c8-5e7d1f0b3a94",
                     *       "recType": "cellular-webhook",
                     *       "name": "Production",
                     *       "url": "https://example.com/hooks/loggers",
                     *       "status": "active",
                     *       "disabledReason": null,
                     *       "deliverConfigApplied": true,
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z",
                     *       "delivery": {
                     *         "lastDeliveredAt": "2026-03-02T08:15:30.000Z",
                     *         "lastAttemptAt": "2026-03-02T08:15:30.000Z",
                     *         "lastStatus": "delivered",
                     *         "lastStatusCode": 204,
                     *         "lastError": null
                     *       },
                     *       "health": {
                     *         "state": "healthy",
                     *         "since": null,
                     *         "backlog": 0,
                     *         "oldestPendingAt": null,
                     *         "nextAttemptAt": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CellularWebhook"];
                };
            };
        };
    };
    getCellularWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a4-9d3b-7f61-a2c8-5e7d1f0b3a94",
                     *       "recType": "cellular-webhook",
                     *       "name": "Production",
                     *       "url": "https://example.com/hooks/loggers",
                     *       "status": "active",
                     *       "disabledReason": null,
                     *       "deliverConfigApplied": true,
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z",
                     *       "delivery": {
                     *         "lastDeliveredAt": "2026-03-02T08:15:30.000Z",
                     *         "lastAttemptAt": "2026-03-02T08:15:30.000Z",
                     *         "lastStatus": "delivered",
                     *         "lastStatusCode": 204,
                     *         "lastError": null
                     *       },
                     *       "health": {
                     *         "state": "healthy",
                     *         "since": null,
                     *         "backlog": 0,
                     *         "oldestPendingAt": null,
                     *         "nextAttemptAt": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CellularWebhook"];
                };
            };
        };
    };
    deleteCellularWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateCellularWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "deliverConfigApplied": false
                 *     }
                 */
                "application/json": components["schemas"]["ChangeCellularWebhook"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a4-9d3b-7f61-a2c8-5e7d1f0b3a94",
                     *       "recType": "cellular-webhook",
                     *       "name": "Production",
                     *       "url": "https://example.com/hooks/loggers",
                     *       "status": "active",
                     *       "disabledReason": null,
                     *       "deliverConfigApplied": true,
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z",
                     *       "delivery": {
                     *         "lastDeliveredAt": "2026-03-02T08:15:30.000Z",
                     *         "lastAttemptAt": "2026-03-02T08:15:30.000Z",
                     *         "lastStatus": "delivered",
                     *         "lastStatusCode": 204,
                     *         "lastError": null
                     *       },
                     *       "health": {
                     *         "state": "healthy",
                     *         "since": null,
                     *         "backlog": 0,
                     *         "oldestPendingAt": null,
                     *         "nextAttemptAt": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CellularWebhook"];
                };
            };
        };
    };
    retryCellularWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a4-9d3b-7f61-a2c8-5e7d1f0b3a94",
                     *       "recType": "cellular-webhook",
                     *       "name": "Production",
                     *       "url": "https://example.com/hooks/loggers",
                     *       "status": "active",
                     *       "disabledReason": null,
                     *       "deliverConfigApplied": true,
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z",
                     *       "delivery": {
                     *         "lastDeliveredAt": "2026-03-02T08:15:30.000Z",
                     *         "lastAttemptAt": "2026-03-02T08:15:30.000Z",
                     *         "lastStatus": "delivered",
                     *         "lastStatusCode": 204,
                     *         "lastError": null
                     *       },
                     *       "health": {
                     *         "state": "healthy",
                     *         "since": null,
                     *         "backlog": 0,
                     *         "oldestPendingAt": null,
                     *         "nextAttemptAt": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CellularWebhook"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Only endpoints of this status */
                status?: "active" | "disabled";
                /** @description At most this many items; there are never more than 100 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recType": "webhook-collection",
                     *       "items": [
                     *         {
                     *           "id": "019cb0a4-b172-7c05-9e4f-0a6b8d2c1e35",
                     *           "recType": "webhook",
                     *           "url": "https://example.com/hooks/alerts",
                     *           "status": "active",
                     *           "disabledReason": null,
                     *           "events": [
                     *             "alert.created",
                     *             "alert.resolved"
                     *           ],
                     *           "createdAt": "2026-02-20T13:05:12.000Z",
                     *           "updatedAt": "2026-02-20T13:05:12.000Z",
                     *           "delivery": {
                     *             "lastDeliveredAt": "2026-03-02T08:15:30.000Z",
                     *             "lastAttemptAt": "2026-03-02T08:15:30.000Z",
                     *             "lastStatus": "delivered",
                     *             "lastStatusCode": 204,
                     *             "lastError": null
                     *           },
                     *           "health": {
                     *             "state": "healthy",
                     *             "since": null,
                     *             "backlog": 0,
                     *             "oldestPendingAt": null,
                     *             "nextAttemptAt": null
                     *           }
                     *         }
                     *       ],
                     *       "totalItems": 1
                     *     }
                     */
                    "application/json": {
                        /** @enum {string} */
                        recType: "webhook-collection";
                        /** @description Newest last */
                        items: components["schemas"]["Webhook"][];
                        /** @description All that match */
                        totalItems: number;
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hooks/alerts",
                 *       "events": [
                 *         "alert.created",
                 *         "alert.resolved"
                 *       ],
                 *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a4-b172-7c05-9e4f-0a6b8d2c1e35",
                     *       "recType": "webhook",
                     *       "url": "https://example.com/hooks/alerts",
                     *       "status": "active",
                     *       "disabledReason": null,
                     *       "events": [
                     *         "alert.created",
                     *         "alert.resolved"
                     *       ],
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z",
                     *       "delivery": {
                     *         "lastDeliveredAt": "2026-03-02T08:15:30.000Z",
                     *         "lastAttemptAt": "2026-03-02T08:15:30.000Z",
                     *         "lastStatus": "delivered",
                     *         "lastStatusCode": 204,
                     *         "lastError": null
                     *       },
                     *       "health": {
                     *         "state": "healthy",
                     *         "since": null,
                     *         "backlog": 0,
                     *         "oldestPendingAt": null,
                     *         "nextAttemptAt": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a4-b172-7c05-9e4f-0a6b8d2c1e35",
                     *       "recType": "webhook",
                     *       "url": "https://example.com/hooks/alerts",
                     *       "status": "active",
                     *       "disabledReason": null,
                     *       "events": [
                     *         "alert.created",
                     *         "alert.resolved"
                     *       ],
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z",
                     *       "delivery": {
                     *         "lastDeliveredAt": "2026-03-02T08:15:30.000Z",
                     *         "lastAttemptAt": "2026-03-02T08:15:30.000Z",
                     *         "lastStatus": "delivered",
                     *         "lastStatusCode": 204,
                     *         "lastError": null
                     *       },
                     *       "health": {
                     *         "state": "healthy",
                     *         "since": null,
                     *         "backlog": 0,
                     *         "oldestPendingAt": null,
                     *         "nextAttemptAt": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "active"
                 *     }
                 */
                "application/json": components["schemas"]["ChangeWebhook"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a4-b172-7c05-9e4f-0a6b8d2c1e35",
                     *       "recType": "webhook",
                     *       "url": "https://example.com/hooks/alerts",
                     *       "status": "active",
                     *       "disabledReason": null,
                     *       "events": [
                     *         "alert.created",
                     *         "alert.resolved"
                     *       ],
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z",
                     *       "delivery": {
                     *         "lastDeliveredAt": "2026-03-02T08:15:30.000Z",
                     *         "lastAttemptAt": "2026-03-02T08:15:30.000Z",
                     *         "lastStatus": "delivered",
                     *         "lastStatusCode": 204,
                     *         "lastError": null
                     *       },
                     *       "health": {
                     *         "state": "healthy",
                     *         "since": null,
                     *         "backlog": 0,
                     *         "oldestPendingAt": null,
                     *         "nextAttemptAt": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    retryWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a4-b172-7c05-9e4f-0a6b8d2c1e35",
                     *       "recType": "webhook",
                     *       "url": "https://example.com/hooks/alerts",
                     *       "status": "active",
                     *       "disabledReason": null,
                     *       "events": [
                     *         "alert.created",
                     *         "alert.resolved"
                     *       ],
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z",
                     *       "delivery": {
                     *         "lastDeliveredAt": "2026-03-02T08:15:30.000Z",
                     *         "lastAttemptAt": "2026-03-02T08:15:30.000Z",
                     *         "lastStatus": "delivered",
                     *         "lastStatusCode": 204,
                     *         "lastError": null
                     *       },
                     *       "health": {
                     *         "state": "healthy",
                     *         "since": null,
                     *         "backlog": 0,
                     *         "oldestPendingAt": null,
                     *         "nextAttemptAt": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    listCellularWebhookDeliveries: {
        parameters: {
            query?: {
                state?: "pending" | "delivered" | "retrying" | "held" | "failed" | "blocked" | "cancelled";
                /** @description Only deliveries of events of this type */
                eventType?: "data.measurement" | "config.applied";
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "019cb0a8-3344-7b1e-8d2a-4c6e8f0a1b2d",
                     *           "eventId": "019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90",
                     *           "eventType": "alert.created",
                     *           "state": "delivered",
                     *           "attemptCount": 2,
                     *           "nextAttemptAt": null,
                     *           "lastStatusCode": 204,
                     *           "lastError": null,
                     *           "createdAt": "2026-03-02T08:15:30.000Z",
                     *           "lastAttemptAt": "2026-03-02T08:15:35.000Z",
                     *           "deliveredAt": "2026-03-02T08:15:35.000Z",
                     *           "serialNumber": "282C02424EED",
                     *           "reason": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Delivery"][];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getCellularWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a8-3344-7b1e-8d2a-4c6e8f0a1b2d",
                     *       "eventId": "019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90",
                     *       "eventType": "alert.created",
                     *       "state": "delivered",
                     *       "attemptCount": 2,
                     *       "nextAttemptAt": null,
                     *       "lastStatusCode": 204,
                     *       "lastError": null,
                     *       "createdAt": "2026-03-02T08:15:30.000Z",
                     *       "lastAttemptAt": "2026-03-02T08:15:35.000Z",
                     *       "deliveredAt": "2026-03-02T08:15:35.000Z",
                     *       "serialNumber": "282C02424EED",
                     *       "reason": null,
                     *       "payload": {
                     *         "type": "alert.created",
                     *         "timestamp": "2026-03-02T08:15:00.000Z",
                     *         "data": {}
                     *       },
                     *       "attempts": [
                     *         {
                     *           "number": 1,
                     *           "at": "2026-03-02T08:15:30.000Z",
                     *           "durationMs": 41,
                     *           "statusCode": 500,
                     *           "error": "the receiver answered 500",
                     *           "responseExcerpt": ""
                     *         },
                     *         {
                     *           "number": 2,
                     *           "at": "2026-03-02T08:15:35.000Z",
                     *           "durationMs": 38,
                     *           "statusCode": 204,
                     *           "error": null,
                     *           "responseExcerpt": ""
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
        };
    };
    resendCellularWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhookId: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a8-3344-7b1e-8d2a-4c6e8f0a1b2d",
                     *       "eventId": "019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90",
                     *       "eventType": "alert.created",
                     *       "state": "delivered",
                     *       "attemptCount": 2,
                     *       "nextAttemptAt": null,
                     *       "lastStatusCode": 204,
                     *       "lastError": null,
                     *       "createdAt": "2026-03-02T08:15:30.000Z",
                     *       "lastAttemptAt": "2026-03-02T08:15:35.000Z",
                     *       "deliveredAt": "2026-03-02T08:15:35.000Z",
                     *       "serialNumber": "282C02424EED",
                     *       "reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    replayCellularWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-03-01T00:00:00Z",
                 *       "until": "2026-03-02T00:00:00Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @example 2026-03-02T08:15:30Z
                     */
                    since: string;
                    /**
                     * Format: date-time
                     * @description Default: now
                     * @example 2026-03-02T08:15:30Z
                     */
                    until?: string;
                    /** @description Default: ["failed","blocked"] */
                    states?: ("failed" | "blocked" | "delivered" | "cancelled")[];
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "queued": 17
                     *     }
                     */
                    "application/json": {
                        queued: number;
                    };
                };
            };
        };
    };
    testCellularWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivered": true,
                     *       "statusCode": 204,
                     *       "durationMs": 38,
                     *       "error": null
                     *     }
                     */
                    "application/json": {
                        delivered: boolean;
                        statusCode: number | null;
                        durationMs: number;
                        error: string | null;
                    };
                };
            };
        };
    };
    rotateCellularWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * @description Signs deliveries: whsec_ and base64, or any other text. Never shown again.
                     * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
                     */
                    secret?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                     *       "previousValidUntil": "2026-03-03T08:15:30.000Z"
                     *     }
                     */
                    "application/json": {
                        /** @description Only when it was made here, and only this once */
                        secret?: string;
                        /**
                         * Format: date-time
                         * @description Until then the old secret signs along
                         * @example 2026-03-02T08:15:30.000Z
                         */
                        previousValidUntil: string | null;
                    };
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                state?: "pending" | "delivered" | "retrying" | "held" | "failed" | "blocked" | "cancelled";
                /** @description Only deliveries of events of this type */
                eventType?: "data.measurement.alert" | "alert.created" | "alert.acknowledged" | "alert.resolved" | "config.applied" | "config.failed" | "config.job.finished" | "device.offline" | "device.online" | "fleet.silent" | "webhook.disabled";
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "019cb0a8-3344-7b1e-8d2a-4c6e8f0a1b2d",
                     *           "eventId": "019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90",
                     *           "eventType": "alert.created",
                     *           "state": "delivered",
                     *           "attemptCount": 2,
                     *           "nextAttemptAt": null,
                     *           "lastStatusCode": 204,
                     *           "lastError": null,
                     *           "createdAt": "2026-03-02T08:15:30.000Z",
                     *           "lastAttemptAt": "2026-03-02T08:15:35.000Z",
                     *           "deliveredAt": "2026-03-02T08:15:35.000Z",
                     *           "serialNumber": "282C02424EED",
                     *           "reason": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Delivery"][];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a8-3344-7b1e-8d2a-4c6e8f0a1b2d",
                     *       "eventId": "019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90",
                     *       "eventType": "alert.created",
                     *       "state": "delivered",
                     *       "attemptCount": 2,
                     *       "nextAttemptAt": null,
                     *       "lastStatusCode": 204,
                     *       "lastError": null,
                     *       "createdAt": "2026-03-02T08:15:30.000Z",
                     *       "lastAttemptAt": "2026-03-02T08:15:35.000Z",
                     *       "deliveredAt": "2026-03-02T08:15:35.000Z",
                     *       "serialNumber": "282C02424EED",
                     *       "reason": null,
                     *       "payload": {
                     *         "type": "alert.created",
                     *         "timestamp": "2026-03-02T08:15:00.000Z",
                     *         "data": {}
                     *       },
                     *       "attempts": [
                     *         {
                     *           "number": 1,
                     *           "at": "2026-03-02T08:15:30.000Z",
                     *           "durationMs": 41,
                     *           "statusCode": 500,
                     *           "error": "the receiver answered 500",
                     *           "responseExcerpt": ""
                     *         },
                     *         {
                     *           "number": 2,
                     *           "at": "2026-03-02T08:15:35.000Z",
                     *           "durationMs": 38,
                     *           "statusCode": 204,
                     *           "error": null,
                     *           "responseExcerpt": ""
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
        };
    };
    resendWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhookId: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a8-3344-7b1e-8d2a-4c6e8f0a1b2d",
                     *       "eventId": "019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90",
                     *       "eventType": "alert.created",
                     *       "state": "delivered",
                     *       "attemptCount": 2,
                     *       "nextAttemptAt": null,
                     *       "lastStatusCode": 204,
                     *       "lastError": null,
                     *       "createdAt": "2026-03-02T08:15:30.000Z",
                     *       "lastAttemptAt": "2026-03-02T08:15:35.000Z",
                     *       "deliveredAt": "2026-03-02T08:15:35.000Z",
                     *       "serialNumber": "282C02424EED",
                     *       "reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-03-01T00:00:00Z",
                 *       "until": "2026-03-02T00:00:00Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @example 2026-03-02T08:15:30Z
                     */
                    since: string;
                    /**
                     * Format: date-time
                     * @description Default: now
                     * @example 2026-03-02T08:15:30Z
                     */
                    until?: string;
                    /** @description Default: ["failed","blocked"] */
                    states?: ("failed" | "blocked" | "delivered" | "cancelled")[];
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "queued": 17
                     *     }
                     */
                    "application/json": {
                        queued: number;
                    };
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivered": true,
                     *       "statusCode": 204,
                     *       "durationMs": 38,
                     *       "error": null
                     *     }
                     */
                    "application/json": {
                        delivered: boolean;
                        statusCode: number | null;
                        durationMs: number;
                        error: string | null;
                    };
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * @description Signs deliveries: whsec_ and base64, or any other text. Never shown again.
                     * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
                     */
                    secret?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                     *       "previousValidUntil": "2026-03-03T08:15:30.000Z"
                     *     }
                     */
                    "application/json": {
                        /** @description Only when it was made here, and only this once */
                        secret?: string;
                        /**
                         * Format: date-time
                         * @description Until then the old secret signs along
                         * @example 2026-03-02T08:15:30.000Z
                         */
                        previousValidUntil: string | null;
                    };
                };
            };
        };
    };
    listNotificationChannels: {
        parameters: {
            query?: {
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48",
                     *           "recType": "notification-channel",
                     *           "type": "email",
                     *           "name": "Quality",
                     *           "target": "quality@example.com",
                     *           "alertTypes": [
                     *             "high_temp",
                     *             "low_temp"
                     *           ],
                     *           "groupIds": [],
                     *           "delayMinutes": 10,
                     *           "reminderMinutes": 120,
                     *           "quietHours": {
                     *             "from": "22:00",
                     *             "to": "07:00",
                     *             "timezone": "Europe/Stockholm"
                     *           },
                     *           "status": "active",
                     *           "lastSentAt": "2026-03-02T08:25:31.000Z",
                     *           "lastError": null,
                     *           "createdAt": "2026-02-20T13:05:12.000Z",
                     *           "updatedAt": "2026-02-20T13:05:12.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Newest first */
                        items: components["schemas"]["NotificationChannel"][];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createNotificationChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "webhook",
                 *       "target": "https://example.com/hooks/notifications",
                 *       "name": "Grace, on call",
                 *       "alertTypes": [
                 *         "high_temp",
                 *         "low_temp"
                 *       ],
                 *       "delayMinutes": 10,
                 *       "reminderMinutes": 120,
                 *       "quietHours": {
                 *         "from": "22:00",
                 *         "to": "07:00",
                 *         "timezone": "Europe/Stockholm"
                 *       },
                 *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                 *     }
                 */
                "application/json": components["schemas"]["CreateNotificationChannel"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48",
                     *       "recType": "notification-channel",
                     *       "type": "email",
                     *       "name": "Quality",
                     *       "target": "quality@example.com",
                     *       "alertTypes": [
                     *         "high_temp",
                     *         "low_temp"
                     *       ],
                     *       "groupIds": [],
                     *       "delayMinutes": 10,
                     *       "reminderMinutes": 120,
                     *       "quietHours": {
                     *         "from": "22:00",
                     *         "to": "07:00",
                     *         "timezone": "Europe/Stockholm"
                     *       },
                     *       "status": "active",
                     *       "lastSentAt": "2026-03-02T08:25:31.000Z",
                     *       "lastError": null,
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationChannel"];
                };
            };
        };
    };
    getNotificationChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48",
                     *       "recType": "notification-channel",
                     *       "type": "email",
                     *       "name": "Quality",
                     *       "target": "quality@example.com",
                     *       "alertTypes": [
                     *         "high_temp",
                     *         "low_temp"
                     *       ],
                     *       "groupIds": [],
                     *       "delayMinutes": 10,
                     *       "reminderMinutes": 120,
                     *       "quietHours": {
                     *         "from": "22:00",
                     *         "to": "07:00",
                     *         "timezone": "Europe/Stockholm"
                     *       },
                     *       "status": "active",
                     *       "lastSentAt": "2026-03-02T08:25:31.000Z",
                     *       "lastError": null,
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationChannel"];
                };
            };
        };
    };
    deleteNotificationChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateNotificationChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "delayMinutes": 5
                 *     }
                 */
                "application/json": components["schemas"]["ChangeNotificationChannel"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48",
                     *       "recType": "notification-channel",
                     *       "type": "email",
                     *       "name": "Quality",
                     *       "target": "quality@example.com",
                     *       "alertTypes": [
                     *         "high_temp",
                     *         "low_temp"
                     *       ],
                     *       "groupIds": [],
                     *       "delayMinutes": 10,
                     *       "reminderMinutes": 120,
                     *       "quietHours": {
                     *         "from": "22:00",
                     *         "to": "07:00",
                     *         "timezone": "Europe/Stockholm"
                     *       },
                     *       "status": "active",
                     *       "lastSentAt": "2026-03-02T08:25:31.000Z",
                     *       "lastError": null,
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationChannel"];
                };
            };
        };
    };
    testNotificationChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivered": true,
                     *       "statusCode": 204,
                     *       "durationMs": 38,
                     *       "error": null
                     *     }
                     */
                    "application/json": {
                        delivered: boolean;
                        statusCode: number | null;
                        durationMs: number;
                        error: string | null;
                    };
                };
            };
        };
    };
    confirmNotificationChannelAgain: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48",
                     *       "recType": "notification-channel",
                     *       "type": "email",
                     *       "name": "Quality",
                     *       "target": "quality@example.com",
                     *       "alertTypes": [
                     *         "high_temp",
                     *         "low_temp"
                     *       ],
                     *       "groupIds": [],
                     *       "delayMinutes": 10,
                     *       "reminderMinutes": 120,
                     *       "quietHours": {
                     *         "from": "22:00",
                     *         "to": "07:00",
                     *         "timezone": "Europe/Stockholm"
                     *       },
                     *       "status": "active",
                     *       "lastSentAt": "2026-03-02T08:25:31.000Z",
                     *       "lastError": null,
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationChannel"];
                };
            };
        };
    };
    listEscalations: {
        parameters: {
            query?: {
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
                     *           "recType": "escalation",
                     *           "name": "Cold store, at night",
                     *           "alertTypes": [
                     *             "high_temp",
                     *             "low_temp"
                     *           ],
                     *           "severities": [
                     *             "critical"
                     *           ],
                     *           "groupIds": [],
                     *           "steps": [
                     *             {
                     *               "afterMinutes": 0,
                     *               "channelIds": [
                     *                 "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48"
                     *               ]
                     *             },
                     *             {
                     *               "afterMinutes": 15,
                     *               "channelIds": [
                     *                 "019cb0a4-d1e5-7f27-9c46-2a7b0e4d3c59"
                     *               ]
                     *             }
                     *           ],
                     *           "repeatMinutes": 30,
                     *           "status": "active",
                     *           "createdAt": "2026-02-20T13:05:12.000Z",
                     *           "updatedAt": "2026-02-20T13:05:12.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Newest first */
                        items: components["schemas"]["Escalation"][];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createEscalation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Cold store, at night",
                 *       "alertTypes": [
                 *         "high_temp",
                 *         "low_temp"
                 *       ],
                 *       "steps": [
                 *         {
                 *           "afterMinutes": 0,
                 *           "channelIds": [
                 *             "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48"
                 *           ]
                 *         },
                 *         {
                 *           "afterMinutes": 15,
                 *           "channelIds": [
                 *             "019cb0a4-d1e5-7f27-9c46-2a7b0e4d3c59"
                 *           ]
                 *         }
                 *       ],
                 *       "repeatMinutes": 30
                 *     }
                 */
                "application/json": components["schemas"]["CreateEscalation"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
                     *       "recType": "escalation",
                     *       "name": "Cold store, at night",
                     *       "alertTypes": [
                     *         "high_temp",
                     *         "low_temp"
                     *       ],
                     *       "severities": [
                     *         "critical"
                     *       ],
                     *       "groupIds": [],
                     *       "steps": [
                     *         {
                     *           "afterMinutes": 0,
                     *           "channelIds": [
                     *             "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48"
                     *           ]
                     *         },
                     *         {
                     *           "afterMinutes": 15,
                     *           "channelIds": [
                     *             "019cb0a4-d1e5-7f27-9c46-2a7b0e4d3c59"
                     *           ]
                     *         }
                     *       ],
                     *       "repeatMinutes": 30,
                     *       "status": "active",
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Escalation"];
                };
            };
        };
    };
    getEscalation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                escalationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
                     *       "recType": "escalation",
                     *       "name": "Cold store, at night",
                     *       "alertTypes": [
                     *         "high_temp",
                     *         "low_temp"
                     *       ],
                     *       "severities": [
                     *         "critical"
                     *       ],
                     *       "groupIds": [],
                     *       "steps": [
                     *         {
                     *           "afterMinutes": 0,
                     *           "channelIds": [
                     *             "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48"
                     *           ]
                     *         },
                     *         {
                     *           "afterMinutes": 15,
                     *           "channelIds": [
                     *             "019cb0a4-d1e5-7f27-9c46-2a7b0e4d3c59"
                     *           ]
                     *         }
                     *       ],
                     *       "repeatMinutes": 30,
                     *       "status": "active",
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Escalation"];
                };
            };
        };
    };
    deleteEscalation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                escalationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateEscalation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                escalationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repeatMinutes": 60
                 *     }
                 */
                "application/json": components["schemas"]["ChangeEscalation"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
                     *       "recType": "escalation",
                     *       "name": "Cold store, at night",
                     *       "alertTypes": [
                     *         "high_temp",
                     *         "low_temp"
                     *       ],
                     *       "severities": [
                     *         "critical"
                     *       ],
                     *       "groupIds": [],
                     *       "steps": [
                     *         {
                     *           "afterMinutes": 0,
                     *           "channelIds": [
                     *             "019cb0a4-c2d4-7e16-8b35-1f6a9d3c2b48"
                     *           ]
                     *         },
                     *         {
                     *           "afterMinutes": 15,
                     *           "channelIds": [
                     *             "019cb0a4-d1e5-7f27-9c46-2a7b0e4d3c59"
                     *           ]
                     *         }
                     *       ],
                     *       "repeatMinutes": 30,
                     *       "status": "active",
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "updatedAt": "2026-02-20T13:05:12.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Escalation"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c28",
                     *           "recType": "key",
                     *           "name": "Facility team",
                     *           "kind": "customer",
                     *           "role": "write",
                     *           "preview": "dms_live_3fZk…",
                     *           "createdAt": "2026-02-20T13:05:12.000Z",
                     *           "expiresAt": null,
                     *           "lastUsedAt": "2026-02-27T09:41:07.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Key"][];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Facility team",
                 *       "kind": "customer",
                 *       "role": "write",
                 *       "expiresAt": "2099-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": {
                    /** @description Shown in the audit trail */
                    name: string;
                    /**
                     * @description customer: for the API; device: the token of all loggers of the organization. Default: "customer"
                     * @enum {string}
                     */
                    kind?: "customer" | "device";
                    /**
                     * @description Required for customer keys. read: GET; write: changes, too; admin: also keys
                     * @enum {string|null}
                     */
                    role?: "admin" | "write" | "read" | null;
                    /**
                     * Format: date-time
                     * @description Null or absent: never
                     * @example 2026-03-02T08:15:30Z
                     */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c28",
                     *       "recType": "key",
                     *       "name": "Facility team",
                     *       "kind": "customer",
                     *       "role": "write",
                     *       "preview": "dms_live_3fZk…",
                     *       "createdAt": "2026-02-20T13:05:12.000Z",
                     *       "expiresAt": null,
                     *       "lastUsedAt": null,
                     *       "key": "dms_live_…"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedKey"];
                };
            };
        };
    };
    deleteKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Only changes by this key or person: the id of the key, or the name */
                actor?: string;
                /** @description Only changes of the thing of this id, slug, serial number or whole name. A serial number or the name of a device also finds changes of its alerts, and the jobs that changed it */
                subject?: string;
                /** @description From then on */
                from?: string;
                /** @description Before then */
                to?: string;
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "019cb0a6-11a0-7c33-9a53-0c2f5f7e8d11",
                     *           "recType": "audit-entry",
                     *           "at": "2026-03-02T08:15:30.000Z",
                     *           "actor": {
                     *             "keyId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c28",
                     *             "name": "Facility team"
                     *           },
                     *           "action": "deleteWebhook",
                     *           "subject": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c29",
                     *           "subjectName": "https://example.com/hooks",
                     *           "serialNumber": null,
                     *           "before": {
                     *             "status": "active",
                     *             "url": "https://example.com/hooks"
                     *           },
                     *           "after": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["AuditEntry"][];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createOperatorLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 24 h: the same key with the same request answers what the first one answered, with Idempotent-Replayed: true. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Lovelace",
                 *       "role": "write"
                 *     }
                 */
                "application/json": components["schemas"]["CreateOperatorLink"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019cb0a7-2c64-7a1b-8f0c-2a2b5f0f7d11",
                     *       "recType": "operator-link",
                     *       "name": "Ada Lovelace",
                     *       "role": "write",
                     *       "url": "https://dms.example.com/operator/sign-in?link=…",
                     *       "expiresAt": "2026-03-02T08:25:30.000Z"
                     *     }
                     */
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        recType: "operator-link";
                        name: string;
                        /** @enum {string} */
                        role: "admin" | "write" | "read";
                        /** @description Signs in once; shown only in this answer */
                        url: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds
                         * @example 2026-03-02T08:15:30.000Z
                         */
                        expiresAt: string;
                    };
                };
            };
        };
    };
    listOperatorSessions: {
        parameters: {
            query?: {
                /** @description Items per page */
                limit?: number;
                /** @description nextCursor of the page before, of the same list */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "019cb0a7-2c64-7a1b-8f0c-2a2b5f0f7d11",
                     *           "recType": "operator-session",
                     *           "name": "Ada Lovelace",
                     *           "role": "write",
                     *           "keyId": null,
                     *           "startedAt": "2026-03-02T08:15:30.000Z",
                     *           "expiresAt": "2026-03-02T20:15:30.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Newest first */
                        items: components["schemas"]["OperatorSession"][];
                        /** @description Pass as cursor for the next page; null on the last one */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    endOperatorSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDataMeasurement: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "data.measurement",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "serialNumber": "282C02424EED",
                 *         "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                 *         "assetName": "Vaccine fridge 2",
                 *         "batteryStatus": "ok",
                 *         "signalStrength": "good",
                 *         "nextTransmissionAt": "2026-03-02T14:15:30.000Z",
                 *         "readings": [
                 *           {
                 *             "channel": 1,
                 *             "type": "temperature",
                 *             "unit": "°C",
                 *             "measuredAt": "2026-03-02T08:15:00.000Z",
                 *             "value": 4.2
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "data.measurement";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @description As it was registered */
                        serialNumber: string;
                        assetId: string;
                        assetName: string;
                        /** @enum {string} */
                        batteryStatus: "ok" | "low" | "unknown";
                        /** @enum {string} */
                        signalStrength: "good" | "fair" | "poor" | "unknown";
                        /**
                         * Format: date-time
                         * @description When the device intends to transmit next; null when it did not say
                         * @example 2026-03-02T08:15:30.000Z
                         */
                        nextTransmissionAt: string | null;
                        /** @description The readings that were new, in the order sent; a large frame is split into several events */
                        readings: {
                            channel: number;
                            /** @description temperature, humidity, …; type_<number> when it has no name here */
                            type: string;
                            /** @description In its unit; null when the sensor failed */
                            value: number | null;
                            unit: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC, milliseconds
                             * @example 2026-03-02T08:15:30.000Z
                             */
                            measuredAt: string;
                            /** @description The error code of the sensor, when there is no value */
                            error?: number;
                        }[];
                    };
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDataMeasurementAlert: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "data.measurement.alert",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "serialNumber": "282C02424EED",
                 *         "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                 *         "assetName": "Vaccine fridge 2",
                 *         "batteryStatus": "ok",
                 *         "signalStrength": "good",
                 *         "nextTransmissionAt": "2026-03-02T14:15:30.000Z",
                 *         "alertId": "019cb0a8-2f1c-7d3e-9a44-6b1f0c2d3e4f",
                 *         "bounds": {
                 *           "lowC": 2,
                 *           "highC": 8,
                 *           "hysteresisC": 0.5
                 *         },
                 *         "readings": [
                 *           {
                 *             "channel": 1,
                 *             "type": "temperature",
                 *             "unit": "°C",
                 *             "measuredAt": "2026-03-02T08:15:00.000Z",
                 *             "value": 8.6
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "data.measurement.alert";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @description As it was registered */
                        serialNumber: string;
                        assetId: string;
                        assetName: string;
                        /** @enum {string} */
                        batteryStatus: "ok" | "low" | "unknown";
                        /** @enum {string} */
                        signalStrength: "good" | "fair" | "poor" | "unknown";
                        /**
                         * Format: date-time
                         * @description When the device intends to transmit next; null when it did not say
                         * @example 2026-03-02T08:15:30.000Z
                         */
                        nextTransmissionAt: string | null;
                        /** @description The readings that were new, in the order sent; a large frame is split into several events */
                        readings: {
                            channel: number;
                            /** @description temperature, humidity, …; type_<number> when it has no name here */
                            type: string;
                            /** @description In its unit; null when the sensor failed */
                            value: number | null;
                            unit: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601, UTC, milliseconds
                             * @example 2026-03-02T08:15:30.000Z
                             */
                            measuredAt: string;
                            /** @description The error code of the sensor, when there is no value */
                            error?: number;
                        }[];
                        alertId: string;
                        /** @description The bounds of the alert, of which a reading is out of one */
                        bounds: {
                            /** @description °C; null when there is no such bound */
                            lowC: number | null;
                            /** @description °C; null when there is no such bound */
                            highC: number | null;
                            hysteresisC: number;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onAlertCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "alert.created",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "id": "019cb0a8-2f1c-7d3e-9a44-6b1f0c2d3e4f",
                 *         "recType": "alert",
                 *         "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                 *         "serialNumber": "282C02424EED",
                 *         "type": "high_temp",
                 *         "severity": "critical",
                 *         "status": "new",
                 *         "details": {
                 *           "channel": 1,
                 *           "value": 8.6,
                 *           "bounds": {
                 *             "lowC": 2,
                 *             "highC": 8,
                 *             "hysteresisC": 0.5
                 *           }
                 *         },
                 *         "timestamp": "2026-03-02T08:15:00.000Z",
                 *         "updatedAt": "2026-03-02T08:15:30.000Z",
                 *         "late": false,
                 *         "endedAt": null,
                 *         "extreme": null,
                 *         "acknowledgedAt": null,
                 *         "acknowledgedBy": null,
                 *         "assignee": null,
                 *         "snoozeUntil": null,
                 *         "muted": false,
                 *         "escalation": {
                 *           "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
                 *           "step": 1,
                 *           "nextStepAt": "2026-03-02T08:25:30.000Z"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "alert.created";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: components["schemas"]["Alert"];
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onAlertAcknowledged: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "alert.acknowledged",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "id": "019cb0a8-2f1c-7d3e-9a44-6b1f0c2d3e4f",
                 *         "recType": "alert",
                 *         "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                 *         "serialNumber": "282C02424EED",
                 *         "type": "high_temp",
                 *         "severity": "critical",
                 *         "status": "acknowledged",
                 *         "details": {
                 *           "channel": 1,
                 *           "value": 8.6,
                 *           "bounds": {
                 *             "lowC": 2,
                 *             "highC": 8,
                 *             "hysteresisC": 0.5
                 *           }
                 *         },
                 *         "timestamp": "2026-03-02T08:15:00.000Z",
                 *         "updatedAt": "2026-03-02T08:20:00.000Z",
                 *         "late": false,
                 *         "endedAt": null,
                 *         "extreme": null,
                 *         "acknowledgedAt": "2026-03-02T08:20:00.000Z",
                 *         "acknowledgedBy": {
                 *           "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                 *           "name": "Night shift"
                 *         },
                 *         "assignee": null,
                 *         "snoozeUntil": null,
                 *         "muted": false,
                 *         "escalation": {
                 *           "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
                 *           "step": 1,
                 *           "nextStepAt": "2026-03-02T08:25:30.000Z"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "alert.acknowledged";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: components["schemas"]["Alert"];
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onAlertResolved: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "alert.resolved",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "id": "019cb0a8-2f1c-7d3e-9a44-6b1f0c2d3e4f",
                 *         "recType": "alert",
                 *         "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                 *         "serialNumber": "282C02424EED",
                 *         "type": "high_temp",
                 *         "severity": "critical",
                 *         "status": "resolved",
                 *         "details": {
                 *           "channel": 1,
                 *           "value": 8.6,
                 *           "bounds": {
                 *             "lowC": 2,
                 *             "highC": 8,
                 *             "hysteresisC": 0.5
                 *           }
                 *         },
                 *         "timestamp": "2026-03-02T08:15:00.000Z",
                 *         "updatedAt": "2026-03-02T09:00:00.000Z",
                 *         "late": false,
                 *         "endedAt": null,
                 *         "extreme": null,
                 *         "acknowledgedAt": null,
                 *         "acknowledgedBy": null,
                 *         "assignee": null,
                 *         "snoozeUntil": null,
                 *         "muted": false,
                 *         "escalation": {
                 *           "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
                 *           "step": 1,
                 *           "nextStepAt": "2026-03-02T08:25:30.000Z"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "alert.resolved";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: components["schemas"]["Alert"];
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onConfigApplied: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "config.applied",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "serialNumber": "282C02424EED",
                 *         "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                 *         "profileSlug": "vaccine-fridge",
                 *         "jobId": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5",
                 *         "deviceConfig": {
                 *           "measurementPeriodBase": 300,
                 *           "measurementPeriodFactor": 1,
                 *           "transmissionInterval": 21600,
                 *           "alarmRules": [
                 *             {
                 *               "condition": "HIGH_THRESHOLD",
                 *               "slotNumbers": [
                 *                 0
                 *               ],
                 *               "alarmRuleType": "TEMPERATURE",
                 *               "threshold": 8,
                 *               "hysteresis": 0.5,
                 *               "mode": "CONSECUTIVE_SAMPLES",
                 *               "samples": 1,
                 *               "action": "TRIGGER_TRANSMISSION"
                 *             },
                 *             {
                 *               "condition": "LOW_THRESHOLD",
                 *               "slotNumbers": [
                 *                 0
                 *               ],
                 *               "alarmRuleType": "TEMPERATURE",
                 *               "threshold": 2,
                 *               "hysteresis": 0.5,
                 *               "mode": "CONSECUTIVE_SAMPLES",
                 *               "samples": 1,
                 *               "action": "TRIGGER_TRANSMISSION"
                 *             }
                 *           ],
                 *           "calendars": []
                 *         },
                 *         "appliedAt": "2026-03-02T08:15:30.000Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "config.applied";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @description As it was registered */
                        serialNumber: string;
                        assetId: string;
                        /** @description The profile of the job; null without a job */
                        profileSlug: string | null;
                        /** @description The job that this settled; null when no job was waiting for the device */
                        jobId: string | null;
                        deviceConfig: components["schemas"]["DeviceConfiguration"] | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds
                         * @example 2026-03-02T08:15:30.000Z
                         */
                        appliedAt: string;
                    };
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onConfigFailed: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "config.failed",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "serialNumber": "282C02424EED",
                 *         "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                 *         "profileSlug": "vaccine-fridge",
                 *         "jobId": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5",
                 *         "deviceConfig": {
                 *           "measurementPeriodBase": 300,
                 *           "measurementPeriodFactor": 1,
                 *           "transmissionInterval": 21600,
                 *           "alarmRules": [
                 *             {
                 *               "condition": "HIGH_THRESHOLD",
                 *               "slotNumbers": [
                 *                 0
                 *               ],
                 *               "alarmRuleType": "TEMPERATURE",
                 *               "threshold": 8,
                 *               "hysteresis": 0.5,
                 *               "mode": "CONSECUTIVE_SAMPLES",
                 *               "samples": 1,
                 *               "action": "TRIGGER_TRANSMISSION"
                 *             },
                 *             {
                 *               "condition": "LOW_THRESHOLD",
                 *               "slotNumbers": [
                 *                 0
                 *               ],
                 *               "alarmRuleType": "TEMPERATURE",
                 *               "threshold": 2,
                 *               "hysteresis": 0.5,
                 *               "mode": "CONSECUTIVE_SAMPLES",
                 *               "samples": 1,
                 *               "action": "TRIGGER_TRANSMISSION"
                 *             }
                 *           ],
                 *           "calendars": []
                 *         },
                 *         "reason": "no such rule",
                 *         "failedAt": "2026-03-02T08:15:30.000Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "config.failed";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @description As it was registered */
                        serialNumber: string;
                        assetId: string;
                        /** @description The profile of the job; null without a job */
                        profileSlug: string | null;
                        /** @description The job that this settled; null when no job was waiting for the device */
                        jobId: string | null;
                        deviceConfig: components["schemas"]["DeviceConfiguration"] | null;
                        /** @description What the device could not accept, in its own words */
                        reason: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601, UTC, milliseconds
                         * @example 2026-03-02T08:15:30.000Z
                         */
                        failedAt: string;
                    };
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onConfigJobFinished: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "config.job.finished",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "id": "019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5",
                 *         "profileSlug": "vaccine-fridge",
                 *         "status": "succeeded",
                 *         "reason": null,
                 *         "total": 2,
                 *         "counts": {
                 *           "queued": 0,
                 *           "waiting": 0,
                 *           "sent": 0,
                 *           "applied": 2,
                 *           "failed": 0,
                 *           "cancelled": 0,
                 *           "superseded": 0,
                 *           "timedOut": 0
                 *         },
                 *         "deadlineAt": "2026-03-04T08:00:00.000Z",
                 *         "createdAt": "2026-03-02T08:00:00.000Z",
                 *         "createdBy": {
                 *           "keyId": "019cb0a1-5d7e-7c11-8b2a-4f0e9d8c7b6a",
                 *           "name": "Kitchen"
                 *         },
                 *         "origin": {
                 *           "action": "applyProfile",
                 *           "scope": "devices",
                 *           "groupId": null
                 *         },
                 *         "cancelRequestedAt": null,
                 *         "finishedAt": "2026-03-02T08:15:30.000Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "config.job.finished";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: components["schemas"]["ConfigJob"];
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDeviceOffline: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "device.offline",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                 *         "recType": "asset",
                 *         "name": "Vaccine fridge 2",
                 *         "serialNumber": "282C02424EED",
                 *         "status": "offline",
                 *         "signalStrength": "good",
                 *         "batteryStatus": "ok",
                 *         "model": "TVO-THT",
                 *         "lastReadingAt": "2026-03-02T08:15:00.000Z",
                 *         "waterType": null,
                 *         "floor": 0,
                 *         "buildingId": "main",
                 *         "spaceId": "pharmacy",
                 *         "createdAt": "2026-02-20T13:05:12.000Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "device.offline";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: components["schemas"]["Asset"];
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDeviceOnline: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "device.online",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "id": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                 *         "recType": "asset",
                 *         "name": "Vaccine fridge 2",
                 *         "serialNumber": "282C02424EED",
                 *         "status": "online",
                 *         "signalStrength": "good",
                 *         "batteryStatus": "ok",
                 *         "model": "TVO-THT",
                 *         "lastReadingAt": "2026-03-02T08:15:00.000Z",
                 *         "waterType": null,
                 *         "floor": 0,
                 *         "buildingId": "main",
                 *         "spaceId": "pharmacy",
                 *         "createdAt": "2026-02-20T13:05:12.000Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "device.online";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: components["schemas"]["Asset"];
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onFleetSilent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "fleet.silent",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "silent": 42,
                 *         "total": 180,
                 *         "since": "2026-03-02T08:15:30.000Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "fleet.silent";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @description Devices that missed their contact */
                        silent: number;
                        /** @description Active devices of the organization */
                        total: number;
                        /**
                         * Format: date-time
                         * @description The first contact that was missed
                         * @example 2026-03-02T08:15:30.000Z
                         */
                        since: string;
                    };
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookDisabled: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "webhook.disabled",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "id": "019cb0a4-b172-7c05-9e4f-0a6b8d2c1e35",
                 *         "recType": "webhook",
                 *         "name": "example.com",
                 *         "url": "https://example.com/hooks/alerts",
                 *         "status": "disabled",
                 *         "reason": "gone",
                 *         "backlog": 3
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "webhook.disabled";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: {
                        id: string;
                        /** @enum {string} */
                        recType: "webhook" | "cellular-webhook";
                        name: string;
                        url: string;
                        /** @enum {string} */
                        status: "disabled";
                        /**
                         * @description failing: nothing got through for days; gone: it answered 410
                         * @enum {string}
                         */
                        reason: "failing" | "gone";
                        /** @description Deliveries that are held; 10000 means 10000 or more */
                        backlog: number;
                    };
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onNotification: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "notification",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "text": "New alerts:\n- Cold room (282C02424EED): too warm, 8.6 °C on probe (channel 1), above 8 °C, since 2026-03-02 08:15 UTC",
                 *         "counts": {
                 *           "opened": 1,
                 *           "reminder": 0,
                 *           "resolved": 0,
                 *           "late": 0
                 *         },
                 *         "alerts": [
                 *           {
                 *             "change": "opened",
                 *             "assetName": "Vaccine fridge 2",
                 *             "alert": {
                 *               "id": "019cb0a8-2f1c-7d3e-9a44-6b1f0c2d3e4f",
                 *               "recType": "alert",
                 *               "assetId": "019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27",
                 *               "serialNumber": "282C02424EED",
                 *               "type": "high_temp",
                 *               "severity": "critical",
                 *               "status": "new",
                 *               "details": {
                 *                 "channel": 1,
                 *                 "value": 8.6,
                 *                 "bounds": {
                 *                   "lowC": 2,
                 *                   "highC": 8,
                 *                   "hysteresisC": 0.5
                 *                 }
                 *               },
                 *               "timestamp": "2026-03-02T08:15:00.000Z",
                 *               "updatedAt": "2026-03-02T08:15:30.000Z",
                 *               "late": false,
                 *               "endedAt": null,
                 *               "extreme": null,
                 *               "acknowledgedAt": null,
                 *               "acknowledgedBy": null,
                 *               "assignee": null,
                 *               "snoozeUntil": null,
                 *               "muted": false,
                 *               "escalation": {
                 *                 "id": "019cb0a5-a2b4-7c1d-8e3f-4a5b6c7d8e9f",
                 *                 "step": 1,
                 *                 "nextStepAt": "2026-03-02T08:25:30.000Z"
                 *               }
                 *             }
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "notification";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @description For people: what an e-mail says */
                        text: string;
                        counts: {
                            opened: number;
                            reminder: number;
                            resolved: number;
                            late: number;
                            /** @description In the step of an escalation alone */
                            escalated?: number;
                        };
                        alerts: {
                            /**
                             * @description reminder: it is still open; late: an excursion in late data, which is over
                             * @enum {string}
                             */
                            change: "opened" | "reminder" | "resolved" | "late" | "escalated";
                            assetName: string;
                            alert: components["schemas"]["Alert"];
                        }[];
                    };
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookTest: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt and at every endpoint.
                 * @example 019cb0a8-31e2-7a64-b0f1-8c2d4e6f7a90
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description The time of this attempt in unix seconds. Refuse what is too old, so that nobody can replay it.
                 * @example 1772439330
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /**
                 * @description Present when the endpoint has a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. After the secret was rotated, one signature per secret for a while, separated by spaces.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature"?: components["parameters"]["WebhookSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "webhook.test",
                 *       "timestamp": "2026-03-02T08:15:30.000Z",
                 *       "data": {
                 *         "note": "A test, asked for through the API"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "webhook.test";
                    /**
                     * Format: date-time
                     * @description When it happened, to the millisecond, in UTC
                     * @example 2026-03-02T08:15:30.000Z
                     */
                    timestamp: string;
                    data: {
                        note: string;
                    };
                };
            };
        };
        responses: {
            /** @description Not delivered, and the endpoint is disabled: no event is sent to it any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. The body is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered: tried again, ten attempts within about 75 hours. So are redirects, which are not followed, and connections without a complete answer within 15 seconds. `Retry-After` is respected; 429, 502, 503 and 504 stop everything else to the endpoint, too, until it has recovered. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
