/**
 * Diagrams in documents are text. `npm run diagrams` draws them to files, whose names are a hash of the text.
 */
import { createHash } from 'node:crypto';

export const DIAGRAMS_FOLDER = 'docs/diagrams';
export const DIAGRAM_LANGUAGE = 'mermaid';

export const diagramFile = (text: string): string =>
  `${createHash('sha256').update(text).digest('hex').slice(0, 12)}.svg`;
