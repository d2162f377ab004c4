import { ArrowDown } from 'lucide-react';
import { Button } from '../../ui/button.tsx';

interface NewLinesProps {
  readonly count: number;
  readonly onShow: () => void;
}

/** How many lines arrived below what is shown. */
export function NewLines({ count, onShow }: NewLinesProps) {
  if (count === 0) return null;
  return (
    <Button
      size="small"
      icon={<ArrowDown aria-hidden size={14} />}
      onClick={onShow}
      className="absolute right-4 bottom-4 shadow-float"
    >
      {count === 1 ? '1 new line' : `${count.toLocaleString('en')} new lines`}
    </Button>
  );
}
