export { applyProfile } from './apply-profile.ts';
