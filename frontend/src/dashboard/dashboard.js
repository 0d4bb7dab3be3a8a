// The dashboard's behaviour: every page works without it, and this makes it quicker.
import "htmx.org";
