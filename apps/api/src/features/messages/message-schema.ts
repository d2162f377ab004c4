import { Id, type Message } from '@session/contract';
import { type MessageRow, PAGE_BYTES, type SessionEventRow } from '@session/db';
import type { FastifyReply } from 'fastify';
import * as z from 'zod';

export const END_OF_TIME = '9999-12-31T23:59:59.999Z';

export const messageParams = z.object({ sessionId: Id });

const Metadata = z.record(z.string(), z.unknown()).nullable();

export function metadataOf({ metadata }: MessageRow): Message['metadata'] {
  return Metadata.parse(JSON.parse(metadata ?? 'null'));
}

export function messageOf(sessionId: string, row: MessageRow): Message {
  return { ...row, sessionId, metadata: metadataOf(row) };
}

/**
 * Returns the JSON of what `messageOf` returns, without parsing the stored metadata: parsing and checking them would
 * take more time than the rest of a page.
 */
export function messageJson(sessionId: string, row: MessageRow): string {
  const { id, timestamp, createdAt, role, status, content, metadata } = row;
  const body = `"role":"${role}","status":${JSON.stringify(status)},"content":${JSON.stringify(content)}`;
  const times = `"timestamp":"${timestamp}","createdAt":"${createdAt}"`;
  return `{"id":"${id}","sessionId":"${sessionId}",${body},"metadata":${metadata},${times}}`;
}

export function sessionEventJson(
  sessionId: string,
  { type, seenAt, data }: SessionEventRow,
): string {
  return `{"type":"${type}","sessionId":"${sessionId}","timestamp":"${seenAt}","data":${data}}`;
}

/**
 * Returns as JSON the first of `rows` that fit into `PAGE_BYTES`, at least one. JSON may be longer than the stored row.
 */
export function pageItems(sessionId: string, rows: readonly MessageRow[]): string[] {
  const items: string[] = [];
  let length = 0;
  for (const row of rows) {
    const item = messageJson(sessionId, row);
    length += item.length;
    // A UTF-16 unit takes at most three bytes, so nearly no page needs a count of its bytes.
    if (length * 3 > PAGE_BYTES) return countedItems(sessionId, rows);
    items.push(item);
  }
  return items;
}

function countedItems(sessionId: string, rows: readonly MessageRow[]): string[] {
  const items: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    const item = messageJson(sessionId, row);
    bytes += Buffer.byteLength(item);
    if (items.length > 0 && bytes > PAGE_BYTES) return items;
    items.push(item);
  }
  return items;
}

export function pageJson(items: readonly string[], rest: object): string {
  return `{"items":[${items.join()}],${JSON.stringify(rest).slice(1)}`;
}

export function replyJson(reply: FastifyReply, json: string | Buffer): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json);
}
