import type { Profile } from '../profiles/profile.ts';
import { fingerprintOf } from './page-fingerprint.ts';

/** The input of a question that says which content of a profile it has shown the consequences of. */
export const ASKED_PROFILE = 'askedProfile';

export const toAskedProfile = (profile: Profile): string => fingerprintOf(JSON.stringify(profile));

/** Said above a question that is asked once more. */
export const CHANGED_SINCE =
  'Somebody has changed the profile since you were asked. This is what would happen now.';
