// Follow a run: at each event the server draws its lines anew; at the end the page is loaded again.
const page = document.querySelector("[data-live=yes], [data-live=reading]");
const place = page.querySelector("[data-progress]");
const run = page.dataset.run;
const againMs = 5000;
let isDrawing = false;
let isStale = false;

async function draw() {
  if (isDrawing) {
    isStale = true;
    return;
  }
  isDrawing = true;
  try {
    const answer = await fetch(`/console/runs/${run}/progress`);
    if (answer.redirected) location.reload(); // the session has ended
    else if (answer.ok) place.innerHTML = await answer.text();
  } finally {
    isDrawing = false;
  }
  if (isStale) {
    isStale = false;
    draw();
  }
}

const kinds = [
  "input_needed", "run_queued", "revision_begun", "run_started", "run_resumed", "text_read", "pool_built", "planner_chosen",
  "model_replied", "tool_called", "planner_stopped", "planner_fell_back",
];

function follow() {
  const events = new EventSource(`/v1/itineraries/${run}/events`);
  const isReading = page.dataset.live === "reading"; // a model reads the words: then there is another page
  const turns = isReading ? ["input_needed", "pool_built", "run_finished"] : ["run_finished"];
  if (!isReading) for (const kind of kinds) events.addEventListener(kind, draw);
  for (const kind of turns)
    events.addEventListener(kind, () => {
      events.close();
      location.reload();
    });
  events.addEventListener("error", () => {
    // The browser comes again by itself after a cut, but not after a refusal (a server too busy).
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(() => {
      if (page.dataset.live === "reading") location.reload();
      else draw();
      follow();
    }, againMs);
  });
}
follow();
