import { type ReactNode, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import type { PlanDraft } from './plan-draft.ts';
import { readPlanFile } from './plan-file.ts';

interface ImportButtonProps {
  readonly icon: ReactNode;
  readonly onImport: (draft: PlanDraft) => void;
}

/** An imported plan is not saved until the user saves it. */
export function ImportButton({ icon, onImport }: ImportButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState('');
  const read = async (file: File | undefined) => {
    if (!file) return;
    const plan = readPlanFile(await file.text());
    setFault(typeof plan === 'string' ? plan : '');
    if (typeof plan !== 'string') onImport(plan);
  };
  return (
    <span className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1">
      <span role="alert" className="text-control text-gap">
        {fault}
      </span>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label="File of a plan"
        tabIndex={-1}
        className="sr-only"
        onChange={({ target }) => {
          void read(target.files?.[0]);
          target.value = '';
        }}
      />
      <Button icon={icon} onClick={() => input.current?.click()}>
        Import
      </Button>
    </span>
  );
}
