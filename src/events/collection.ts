/** The two collections of webhooks in the API: whole frames of readings go to cellular ones, all else to event ones. */
export type Collection = 'cellular' | 'event';
