import { render } from 'preact';
import '../parts/style.css';
import { Message } from '../parts/message';
import { startTheme } from '../parts/theme';

startTheme();
const page = document.getElementById('page')!;
page.replaceChildren();
render(<Message title="Nothing to show yet" />, page);
