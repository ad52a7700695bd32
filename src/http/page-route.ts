/** A page for people is data, as an operation is: its visitors, and its answer. */
import type { Readable } from 'node:stream';
import type { FormFile } from './read-form.ts';
import type { Role } from './role.ts';

export interface PageRequest<Visitor> {
  visitor: Visitor;
  params: Record<string, string>;
  query: URLSearchParams;
  /** Fields of a POST; empty otherwise. */
  form: URLSearchParams;
  /** The file of a form with a file field; null when none was chosen. */
  file: FormFile | null;
  /** Path and query as sent. */
  url: string;
  /** Whether the browser has closed the connection; undefined: it has none of its own. */
  isAbandoned?(): boolean;
}

export interface OpenPageRequest<Visitor> extends PageRequest<Visitor> {
  /** Address by which the client is limited. */
  address: string;
  /** The value that an earlier answer has left in the browser. */
  handoff: string | undefined;
}

export type PageReply =
  | { page: string; status?: number; handoff?: string | null }
  | Redirect
  | { json: unknown }
  | { stream: Readable; headers: Record<string, string> };

/** A null value deletes the cookie. */
interface Redirect {
  location: string;
  /** Cookie of the visitor. */
  cookie?: string | null;
  /** A value for the page to which the browser returns within some minutes. */
  handoff?: string | null;
}

interface Common {
  method: 'GET' | 'POST';
  /** With `{name}` for parameters. */
  path: string;
  /** The form has a file beside its fields, with at most this many bytes. */
  fileBytesMax?: number;
}

/** A page for signed-in visitors whose role includes this one. */
export interface PageRoute<Visitor> extends Common {
  role: Role;
  /** Drawn repeatedly for browsers that have it open, so it must be cheap. */
  isLive?: boolean;
  handle(request: PageRequest<Visitor>): Promise<PageReply>;
}

/** A page for everybody, for signing in. */
export interface OpenPageRoute<Visitor> extends Common {
  role: null;
  /**
   * The address and the form hold a secret, and no other permission is needed. No request names the address as
   * its referrer.
   */
  holdsSecret?: true;
  handle(request: OpenPageRequest<Visitor | null>): Promise<PageReply>;
}
