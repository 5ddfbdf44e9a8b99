import type { ComponentChildren } from 'preact';

/// What stands on a page that has nothing else to show: what is wrong and what can be done.
export function Message({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <main class="message">
      <div role="alert">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
