/** A page for people is data, as an operation is: who may open it, and what it answers. */
import type { Readable } from 'node:stream';
import type { FormFile } from './read-form.ts';
import type { Role } from './role.ts';

export interface PageRequest<Visitor> {
  visitor: Visitor;
  params: Record<string, string>;
  query: URLSearchParams;
  /** Of a POST; empty otherwise. */
  form: URLSearchParams;
  /** Of a form that takes one; null when none was chosen. */
  file: FormFile | null;
  /** Path and query as sent. */
  url: string;
  /** Of the client. */
  address: string;
  /** What a redirect has left in the browser. */
  handoff?: string;
}

export type PageReply =
  | { page: string; status?: number }
  | Redirect
  | { json: unknown }
  | { stream: Readable; headers: Record<string, string> };

/** What is null is taken away from the browser. */
export interface Redirect {
  location: string;
  /** Of the visitor. */
  cookie?: string | null;
  /** For the page that the browser comes back to within some minutes. */
  handoff?: string | null;
}

interface Common {
  method: 'GET' | 'POST';
  /** With `{name}` for parameters. */
  path: string;
  /** Its form has a file beside the fields, of at most so many bytes. */
  fileBytesMax?: number;
}

/** For whoever is signed in, with a role that includes this one. */
export interface PageRoute<Visitor> extends Common {
  role: Role;
  /** It may be drawn again and again for those who have it open, so it is cheap. */
  isLive?: boolean;
  handle(request: PageRequest<Visitor>): Promise<PageReply>;
}

/** For everybody: signing in. */
export interface OpenPageRoute<Visitor> extends Common {
  role: null;
  handle(request: PageRequest<Visitor | null>): Promise<PageReply>;
}
