import { render } from 'preact';
import '../parts/style.css';
import { startTheme } from '../parts/theme';
import { ThemeSwitch } from '../parts/theme-switch';

/// The live page, before its panels: the frame that it shares with the report.
function Dashboard() {
  return (
    <>
      <header class="top">
        <h1>Penstock</h1>
        <span class="kind">live</span>
        <ThemeSwitch />
      </header>
      <main>
        <p class="empty">Nothing is shown here yet.</p>
      </main>
    </>
  );
}

startTheme();
const page = document.getElementById('page')!;
page.replaceChildren();
render(<Dashboard />, page);
