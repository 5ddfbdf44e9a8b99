import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  title: string;
  /// Called however it is closed: by its button, Escape or a click beside it.
  onClose: () => void;
  small?: boolean;
  children: ComponentChildren;
}

/// Something that wants an answer or a closer look before the page goes on. The browser keeps the focus inside.
export function Dialog({ title, onClose, small, children }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  const id = `dialog-${title.replace(/\W+/g, '-').toLowerCase()}`;
  useEffect(() => {
    box.current!.showModal();
    return () => box.current?.close();
  }, []);
  return (
    <dialog class={small ? 'small' : ''} ref={box} aria-labelledby={id} onClose={onClose} onClick={(e) => e.target === box.current && onClose()}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {children}
    </dialog>
  );
}
