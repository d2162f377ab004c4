import { type ApiKey, Id } from '@session/contract';
import type { ApiKeyRow } from '@session/db';
import * as z from 'zod';
import { API_KEY_PREFIX } from '../../http/callers/api-key-text.ts';

export const keyParams = z.object({ id: Id });

export const KEYS_PER_PROJECT = 20;

/** The limit of one person. Each deleted key is barred from the rooms for a quarter of an hour. */
export const KEYS_PER_MINUTE = 20;

export function apiKeyOf({ secretId, ...key }: ApiKeyRow): ApiKey {
  return { ...key, prefix: `${API_KEY_PREFIX}${secretId}` };
}
