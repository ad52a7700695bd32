/** The files that are generated from the OpenAPI document, by path in the repository. */
import type { ApiDocument } from '../../src/http/api-document.ts';
import { generateOperationsPage } from './operations-page.ts';
import { generatePython } from './python-client.ts';
import { generateOperations, generateTypes } from './typescript-client.ts';

export async function generateClientFiles(document: ApiDocument): Promise<Record<string, string>> {
  return {
    'client/src/generated/openapi.ts': await generateTypes(document),
    'client/src/generated/operations.ts': generateOperations(document),
    'client/python/device_monitoring/operations.py': generatePython(document),
    'docs/operations.md': generateOperationsPage(document),
  };
}
