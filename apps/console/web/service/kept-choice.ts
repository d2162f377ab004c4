import { createStore, type Store } from '@tanstack/react-store';

export const THEMES = ['system', 'light', 'dark'] as const;
export type ThemeChoice = (typeof THEMES)[number];

/**
 * Whether keys without Ctrl or ⌘ do something outside of fields. WCAG 2.1.4 demands the choice: people who speak to a
 * computer, or press keys by accident, would trigger actions that they do not want.
 */
export type SingleKeys = 'on' | 'off';

export function keptSingleKeys(storage: Storage): Store<SingleKeys> {
  return keptChoice(storage, 'session.single-keys', ['on', 'off']);
}

export function keptTheme(storage: Storage, root: HTMLElement): Store<ThemeChoice> {
  const theme = keptChoice(storage, 'session.theme', THEMES);
  const apply = (choice: ThemeChoice) => {
    if (choice === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = choice;
  };
  apply(theme.state);
  theme.subscribe(apply);
  return theme;
}

/** Returns a choice that the browser keeps and its tabs share. The first of `choices` is the default. */
function keptChoice<Choice extends string>(
  storage: Storage,
  key: string,
  choices: readonly [Choice, ...Choice[]],
): Store<Choice> {
  const read = () => choices.find((choice) => choice === storage.getItem(key)) ?? choices[0];
  const chosen: Store<Choice> = createStore<Choice>(read());
  chosen.subscribe((choice) => storage.setItem(key, choice));
  addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) chosen.setState(read);
  });
  return chosen;
}
