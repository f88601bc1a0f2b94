// Puts the page together: the reference, the steps of a first game, and what the one tells the other.
import { Panel } from "/docs/panel.js";
import { Reference } from "/docs/reference.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const read = async (path) => (await fetch(path)).json();
const [told, steps] = await Promise.all([read("/openapi.json"), read("/docs/first-game.json")]);
const reference = new Reference(told);
new Panel(document.getElementById("first-game"), steps, (known) => reference.know(known)).show();
