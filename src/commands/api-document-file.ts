/** The OpenAPI document beside the program: commands are derived from it without a request. */
import { readFileSync } from 'node:fs';
import type { ApiDocument } from '../http/api-document.ts';

export const API_DOCUMENT_FILE = new URL('../../openapi.json', import.meta.url);

export const readApiDocument = (): ApiDocument => JSON.parse(readFileSync(API_DOCUMENT_FILE, 'utf8'));
