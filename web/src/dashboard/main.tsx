import { render } from 'preact';
import '../parts/style.css';
import './dashboard.css';
import { startTheme } from '../parts/theme';
import { Api } from './live/api';
import { Live } from './live/live';
import { token } from './live/token';
import { App } from './view/app';

startTheme();
const live = new Live(new Api(token));
const page = document.getElementById('page')!;
page.replaceChildren();
render(<App live={live} />, page);
live.start();
addEventListener('online', () => live.refresh());
document.addEventListener('visibilitychange', () => document.hidden || live.refresh());
