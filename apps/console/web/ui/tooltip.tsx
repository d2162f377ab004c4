import {
  cloneElement,
  type HTMLAttributes,
  type ReactElement,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { Kbd } from './kbd.tsx';

const DELAY_MS = 400;
const MARGIN_PX = 6;

interface TooltipProps {
  readonly text: string;
  readonly shortcut?: string | undefined;
  readonly children: ReactElement<HTMLAttributes<HTMLElement>>;
}

export function Tooltip({ text, shortcut, children }: TooltipProps) {
  const { target, showLate, show, hide } = useTarget();
  const id = useId();
  const { onPointerEnter, onPointerLeave, onPointerDown, onFocus, onBlur } = children.props;
  const child = cloneElement(children, {
    ...(target && !children.props['aria-label'] && { 'aria-describedby': id }),
    onPointerEnter: (event) => {
      onPointerEnter?.(event);
      if (event.pointerType !== 'touch') showLate(event.currentTarget);
    },
    onPointerLeave: (event) => {
      onPointerLeave?.(event);
      hide();
    },
    onPointerDown: (event) => {
      onPointerDown?.(event);
      hide();
    },
    onFocus: (event) => {
      onFocus?.(event);
      if (event.currentTarget.matches(':focus-visible')) show(event.currentTarget);
    },
    onBlur: (event) => {
      onBlur?.(event);
      hide();
    },
  });
  return (
    <>
      {child}
      {target ? (
        <Bubble id={id} text={text} shortcut={shortcut} target={target} onHide={hide} />
      ) : null}
    </>
  );
}

function useTarget() {
  const [target, show] = useState<HTMLElement | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hide = useCallback(() => {
    clearTimeout(timer.current);
    show(null);
  }, []);
  const showLate = useCallback((element: HTMLElement) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => show(element), DELAY_MS);
  }, []);
  useEffect(() => () => clearTimeout(timer.current), []);
  return { target, showLate, show, hide };
}

interface BubbleProps extends Omit<TooltipProps, 'children'> {
  readonly id: string;
  readonly target: HTMLElement;
  readonly onHide: () => void;
}

function Bubble({ id, text, shortcut, target, onHide }: BubbleProps) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && onHide();
    addEventListener('keydown', onKey);
    addEventListener('scroll', onHide, true);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener('scroll', onHide, true);
    };
  }, [onHide]);
  const place = useCallback(
    (bubble: HTMLElement | null) => {
      if (bubble) Object.assign(bubble.style, placeBeside(bubble, target));
    },
    [target],
  );
  // A modal dialog is painted above everything else, so its tooltips must be inside it.
  const layer = target.closest('dialog') ?? document.body;
  return createPortal(
    <div
      ref={place}
      id={id}
      role="tooltip"
      className="pointer-events-none fixed top-0 left-0 z-50 flex max-w-80 items-center gap-2 rounded-control bg-ink px-2 py-1 font-medium text-label text-paper"
    >
      {text}
      {shortcut ? <Kbd isInverted>{shortcut}</Kbd> : null}
    </div>,
    layer,
  );
}

function placeBeside(bubble: HTMLElement, target: HTMLElement): { left: string; top: string } {
  const { left, top, bottom, width } = target.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = bubble;
  const isRoomBelow = bottom + MARGIN_PX + offsetHeight <= innerHeight;
  const x = left + width / 2 - offsetWidth / 2;
  const rightmost = document.documentElement.clientWidth - offsetWidth - MARGIN_PX;
  return {
    left: `${Math.max(MARGIN_PX, Math.min(x, rightmost))}px`,
    top: `${isRoomBelow ? bottom + MARGIN_PX : top - MARGIN_PX - offsetHeight}px`,
  };
}
