import { Plus } from 'lucide-react';
import { useState } from 'react';
import { NewSession } from '../pages/sessions/new-session.tsx';
import { usePageActions } from '../ui/page-actions.ts';
import { type CurrentProject, useCurrentProject } from './use-current-project.ts';

export function ShellActions() {
  const project = useCurrentProject();
  return project ? <ProjectActions project={project} /> : null;
}

function ProjectActions({ project: { id, name } }: { readonly project: CurrentProject }) {
  const [isNaming, setNaming] = useState(false);
  usePageActions([
    {
      key: 'new-session',
      name: 'New session …',
      kind: name,
      icon: <Plus aria-hidden size={16} />,
      run: () => setNaming(true),
    },
  ]);
  return <NewSession projectId={id} isOpen={isNaming} onClose={() => setNaming(false)} />;
}
