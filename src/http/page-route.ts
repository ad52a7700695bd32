/** A page for people is data, as an operation is: who may open it, and what it answers. */
import type { Readable } from 'node:stream';
import type { Role } from './role.ts';

export interface PageRequest<Visitor> {
  visitor: Visitor;
  params: Record<string, string>;
  query: URLSearchParams;
  /** Of a POST; empty otherwise. */
  form: URLSearchParams;
  /** Path and query as sent. */
  url: string;
}

export type PageReply =
  | { page: string; status?: number }
  | { location: string; cookie?: string | null }
  | { json: unknown }
  | { stream: Readable; headers: Record<string, string> };

interface Common {
  method: 'GET' | 'POST';
  /** With `{name}` for parameters. */
  path: string;
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
