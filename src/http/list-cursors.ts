/**
 * A cursor is valid only in the list that returned it: it begins with a mark of the operation and its path
 * parameters, and other lists refuse it. The mark is not secret: the rest of the cursor is checked like any
 * other input.
 */
import { createHash } from 'node:crypto';
import type Joi from 'joi';
import { invalid } from '../process/errors.ts';
import { describeSchema } from './describe-schema.ts';

interface Operation {
  operationId: string;
  query?: Joi.Schema;
}

interface Answer {
  body?: unknown;
  headers?: Record<string, string>;
}

type Params = Record<string, string>;

const MARK_LENGTH = 8;

/** Null when the operation is no list, or the specification defines its cursors. */
export function createListCursors({ operationId, query }: Operation) {
  const { keys = {} } = query ? describeSchema(query) : {};
  if (!keys.cursor?.metas?.some(({ isOfOneList }) => isOfOneList)) return null;
  const markOf = (params: Params) =>
    createHash('sha256')
      .update([operationId, ...Object.values(params)].join('/').toLowerCase())
      .digest('base64url')
      .slice(0, MARK_LENGTH);

  return {
    /** Replaces the cursor in the query by its position. */
    read(values: Record<string, unknown>, params: Params): Record<string, unknown> {
      const { cursor } = values;
      if (typeof cursor !== 'string') return values;
      if (!cursor.startsWith(markOf(params))) {
        throw invalid('cursor must be the nextCursor of an earlier page of this list');
      }
      return { ...values, cursor: cursor.slice(MARK_LENGTH) };
    },

    /** Adds the cursor of the next page and its link to the answer. */
    write<Reply extends Answer>(reply: Reply, params: Params, url: string): Reply {
      const position = (reply.body as { nextCursor?: string | null } | undefined)?.nextCursor ?? null;
      if (position === null) return reply;
      const nextCursor = markOf(params) + position;
      return {
        ...reply,
        body: { ...(reply.body as object), nextCursor },
        headers: { ...reply.headers, ...nextLink(url, nextCursor) },
      };
    },
  };
}

/** `Link: <…>; rel="next"`, relative to the URL of the page. */
export function nextLink(url: string, nextCursor: string | null): Record<string, string> {
  if (nextCursor === null) return {};
  const next = new URL(url, 'http://relative');
  next.searchParams.set('cursor', nextCursor);
  return { Link: `<${next.pathname}${next.search}>; rel="next"` };
}
