import { Id, type Message } from '@session/contract';
import type { MessageRow } from '@session/db';
import type { FastifyReply } from 'fastify';
import * as z from 'zod';

/** The id of a message's session in a path. */
export const messageParams = z.object({ sessionId: Id });

const Metadata = z.record(z.string(), z.unknown()).nullable();

/** Gives a stored message's metadata. */
export function metadataOf({ metadata }: MessageRow): Message['metadata'] {
  return Metadata.parse(JSON.parse(metadata ?? 'null'));
}

/** Gives a stored message as the API gives it. */
export function messageOf(sessionId: string, row: MessageRow): Message {
  return { ...row, sessionId, metadata: metadataOf(row) };
}

/**
 * Gives the JSON text of what `messageOf` gives. Written by hand, with the metadata as they are stored: to parse them, check
 * the whole against its schema and write it anew takes more of the server's time than all else that a page of messages needs.
 */
export function messageText(sessionId: string, row: MessageRow): string {
  const { id, timestamp, createdAt, role, status, content, metadata } = row;
  const said = `"role":"${role}","status":${JSON.stringify(status)},"content":${JSON.stringify(content)}`;
  const times = `"timestamp":"${timestamp}","createdAt":"${createdAt}"`;
  return `{"id":"${id}","sessionId":"${sessionId}",${said},"metadata":${metadata},${times}}`;
}

/** Gives the JSON text of an answer with messages in `items`, and with `rest`. */
export function messagesText(sessionId: string, rows: readonly MessageRow[], rest: object): string {
  const items = rows.map((row) => messageText(sessionId, row));
  return `{"items":[${items.join()}],${JSON.stringify(rest).slice(1)}`;
}

/** Answers with what is JSON already. */
export function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}
