import { Autocomplete } from '@base-ui/react/autocomplete';
import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { useModal } from '../ui/use-modal.ts';
import { type Destination, matching } from './destinations.ts';
import { type CurrentProject, useCurrentProject } from './use-current-project.ts';
import { useDestinations } from './use-destinations.tsx';
import type { Overlay } from './use-shortcuts.ts';

interface PaletteProps {
  readonly onClose: () => void;
  readonly onOpen: (overlay: Overlay) => void;
}

export function Palette({ onClose, onOpen }: PaletteProps) {
  const modal = useModal(onClose);
  const [text, setText] = useState('');
  const found = withSearch(matching(useDestinations(onOpen), text), text, useCurrentProject());
  const navigate = useNavigate();
  const go = (destination: Destination) => {
    onClose();
    if ('run' in destination) destination.run();
    else void navigate(destination.link);
  };
  return (
    <dialog
      {...modal}
      aria-label="Go to anything"
      className="mx-auto mt-[12vh] mb-auto max-h-[70dvh] w-[calc(100%-32px)] max-w-140 overflow-hidden rounded-dialog border border-line bg-surface text-ink shadow-float backdrop:bg-scrim open:flex open:animate-rise open:flex-col"
    >
      <Autocomplete.Root
        open
        inline
        items={found}
        filter={null}
        itemToStringValue={({ name }) => name}
        value={text}
        onValueChange={(value, { reason }) => reason !== 'item-press' && setText(value)}
        autoHighlight="always"
        keepHighlight
      >
        <div className="flex items-center gap-3 border-line border-b px-4">
          <Search aria-hidden size={18} className="shrink-0 text-ink-3" />
          <Autocomplete.Input
            aria-label="Go to anything"
            placeholder="A project, a session, a page, an action …"
            className="h-12 min-w-0 flex-1 bg-transparent text-body outline-none placeholder:text-ink-3"
          />
        </div>
        <Autocomplete.Empty>
          <p className="px-4 py-8 text-center text-control text-ink-3 wrap-anywhere">
            Nothing here has that name. Older sessions stand in the list of their project.
          </p>
        </Autocomplete.Empty>
        <Autocomplete.List className="overflow-y-auto p-2 empty:p-0">
          {(destination: Destination) => (
            <Autocomplete.Item
              key={destination.key}
              value={destination}
              onClick={() => go(destination)}
              className="flex h-9 cursor-pointer items-center gap-3 rounded-control px-3 text-control outline-none data-highlighted:bg-sunken"
            >
              <span className="text-ink-3">{destination.icon}</span>
              <span className="min-w-0 flex-1 truncate">{destination.name}</span>
              <span className="max-w-40 shrink-0 truncate text-ink-3 text-label">
                {destination.kind}
              </span>
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </dialog>
  );
}

function withSearch(
  found: readonly Destination[],
  text: string,
  project: CurrentProject | undefined,
): readonly Destination[] {
  const q = text.trim();
  if (q === '' || !project) return found;
  const search = {
    key: 'search',
    name: `Search all sessions for “${q}”`,
    kind: project.name,
    icon: <Search aria-hidden size={16} />,
    link: { to: '/projects/$projectId', params: { projectId: project.id }, search: { q } },
  } as const;
  return [...found, search];
}
