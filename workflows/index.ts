export { applyProfile } from './apply-profile.ts';
export { deliverWebhooks } from './deliver-webhooks.ts';
export { escalateAlert } from './escalate-alert.ts';
export { withdrawProfile } from './withdraw-profile.ts';
