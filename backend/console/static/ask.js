// Search as you type: offers names of places, of the chosen cities or of a run's pool, and writes
// them into the field, a line each, or into the first empty one of several fields.
const box = document.querySelector("[data-search]");
const field = document.getElementById(box.dataset.target);
const input = box.querySelector("input");
const list = box.querySelector("ul");
let waiting = 0;
let asked = null;

box.hidden = false;

function close() {
  list.hidden = true;
  list.replaceChildren();
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
}

// Nothing that was written is replaced: where no field is free the name stays in the search.
function write(name) {
  if (field.tagName !== "TEXTAREA") {
    const fields = [...field.querySelectorAll("input")];
    const place = fields.find((one) => one.value === name) ?? fields.find((one) => !one.value);
    if (place) place.value = name;
    return Boolean(place);
  }
  const lines = field.value.split("\n").map((line) => line.trim()).filter(Boolean);
  if (!lines.includes(name)) lines.push(name);
  field.value = lines.join("\n");
  return true;
}

function choose(name) {
  if (write(name)) input.value = "";
  close();
  input.focus();
}

function show(names) {
  list.replaceChildren(
    ...names.map((name, number) => {
      const item = document.createElement("li");
      item.id = `found-${number}`;
      item.role = "option";
      item.textContent = name;
      item.addEventListener("mousedown", (event) => {
        event.preventDefault();
        choose(name);
      });
      return item;
    }),
  );
  list.hidden = names.length === 0;
  input.setAttribute("aria-expanded", String(names.length > 0));
}

async function find() {
  const cities = [...document.querySelectorAll("select[name=city]")].map((s) => s.value).filter(Boolean);
  const typed = input.value.trim();
  asked?.abort();
  if (!typed || (!box.dataset.find && cities.length === 0)) return close();
  asked = new AbortController();
  const query = new URLSearchParams([["q", typed], ...cities.map((city) => ["city", city])]);
  try {
    const answer = await fetch(`${box.dataset.find ?? "/console/places"}?${query}`, { signal: asked.signal });
    if (answer.ok) show(await answer.json());
  } catch (error) {
    if (error.name !== "AbortError") close();
  }
}

function move(step) {
  const items = [...list.children];
  if (items.length === 0) return;
  const now = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
  const next = (now + step + items.length) % items.length;
  items.forEach((item, number) => item.setAttribute("aria-selected", String(number === next)));
  input.setAttribute("aria-activedescendant", items[next].id);
  items[next].scrollIntoView({ block: "nearest" });
}

input.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(find, 120);
});
input.addEventListener("blur", close);
input.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter") {
    event.preventDefault();
    const item = list.querySelector("[aria-selected=true]") ?? list.firstElementChild;
    if (item) choose(item.textContent);
  } else if (event.key === "Escape") {
    close();
  }
});
