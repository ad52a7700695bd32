/**
 * The two collections of webhooks in the API: cellular ones get whole frames of readings, event ones
 * everything else.
 */
export type Collection = 'cellular' | 'event';
