import { isFields } from '@session/contract/room';

export function messageIn(event: unknown, kind: string): unknown {
  return fieldIn(event, 'message', 'case') === kind
    ? fieldIn(event, 'message', 'value')
    : undefined;
}

export function fieldIn(value: unknown, ...path: string[]): unknown {
  return path.reduce((inner, name) => (isFields(inner) ? inner[name] : undefined), value);
}
