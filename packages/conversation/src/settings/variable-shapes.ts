import { isLinkLocalHost } from '@session/kit';
import * as z from 'zod';
import { parseJson } from '../parse-json.ts';

const KEY_RULE = 'visible ASCII characters without spaces, at most 4096';

/** A key is sent in a header, and headers take visible ASCII characters only. */
export const key = () => z.string().regex(/^[\x21-\x7e]{1,4096}$/, KEY_RULE);

export const baseUrl = () =>
  z
    .url({ protocol: /^https?$/, error: 'an http:// or https:// URL' })
    .refine(isPlainUrl, 'a URL without a user name, password, query and fragment')
    .refine(isAllowedUrl, 'an address that is not link-local')
    .transform((url) => url.replace(/\/+$/, ''));

export const whole = (least: number, most: number) => {
  const rule = `a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,12}$/, rule)
    .transform(Number)
    .refine((value) => value >= least && value <= most, rule);
};

export const decimal = (least: number, most: number) => {
  const rule = `a number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}(?:\.\d{1,9})?$/, rule)
    .transform(Number)
    .refine((value) => value >= least && value <= most, rule);
};

export const text = (most: number) =>
  z.string().trim().min(1, 'a text').max(most, `at most ${most} characters`);

const OWN_FIELDS = ['messages', 'model', 'stream', 'tools', 'tool_choice', 'response_format', 'n'];
const EXTRA_RULE = `a JSON object without ${OWN_FIELDS.join(', ')}`;

export const extraBody = () =>
  z.string().transform((json, context): Readonly<Record<string, unknown>> => {
    const fields = z.record(z.string(), z.unknown()).safeParse(parseJson(json));
    if (fields.success && !OWN_FIELDS.some((name) => Object.hasOwn(fields.data, name))) {
      return fields.data;
    }
    context.addIssue({ code: 'custom', message: EXTRA_RULE });
    return z.NEVER;
  });

export const provider = () => z.enum(['openai', 'local', 'none'], 'openai, local or none');

export const language = () => z.string().refine(isLanguage, 'a language tag such as en or de-CH');

export const timeZone = () => z.string().refine(isTimeZone, 'a time zone such as Europe/Berlin');

// Zod checks later rules even when an earlier one fails, so these functions may get a text that is not a URL.

function isAllowedUrl(url: string): boolean {
  return !URL.canParse(url) || !isLinkLocalHost(new URL(url).hostname);
}

function isPlainUrl(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { username, password, search, hash } = new URL(url);
  return [username, password, search, hash].every((part) => part === '') && !/[?#]/.test(url);
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId !== '';
  } catch {
    return false;
  }
}
