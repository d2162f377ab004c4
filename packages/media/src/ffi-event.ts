import { isFields } from '@session/contract/room';

/** Returns the message of an event of the SDK's native half if it is of that kind. */
export function messageIn(event: unknown, kind: string): unknown {
  return fieldIn(event, 'message', 'case') === kind
    ? fieldIn(event, 'message', 'value')
    : undefined;
}

/** Returns the value at the end of a path of field names; undefined where there is none. */
export function fieldIn(value: unknown, ...path: string[]): unknown {
  return path.reduce((inner, name) => (isFields(inner) ? inner[name] : undefined), value);
}
